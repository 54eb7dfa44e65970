package similar_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/zipf"
)

var (
	memorySpeed = flag.String("memory-speed", "", "measure the indexing of many documents within -budget, and write the `file` of docs/measurements")
	budget      = flag.Int64("budget", 512<<20, "the `bytes` of that, 0 for any")
	many        = flag.Int("many", 1_000_000, "how many documents")
)

// memoryLine is what indexing took, and what using the index takes: medians of 21 openings, each with
// a search of three words, and of 1,001 documents.
type memoryLine struct {
	Documents int     `json:"documents"`
	Budget    int64   `json:"MB of the budget"`
	Seconds   float64 `json:"s of processor time to make the texts and to index and save them"`
	Wall      float64 `json:"s until then"`
	Peak      float64 `json:"MB of memory at most"`
	Files     int     `json:"segments"`
	Disk      float64 `json:"MB on disk"`
	Text      float64 `json:"MB of texts"`
	Compact   float64 `json:"s of processor time to compact and save"`
	Open      float64 `json:"ms to open"`
	OpenPeak  float64 `json:"MB of memory after that"`
	First     float64 `json:"ms of the first search after that"`
	Hit       float64 `json:"ms to read a document"`
}

// TestMemorySpeed measures. It must run in a process of its own.
func TestMemorySpeed(t *testing.T) {
	if *memorySpeed == "" {
		t.Skip("-memory-speed is not given")
	}
	dir := filepath.Join(t.TempDir(), "idx")
	c := zipf.Standard
	c.Documents = *many
	line := memoryLine{Documents: *many, Budget: *budget >> 20}
	x, err := similar.New(similar.Options{Memory: *budget})
	if err != nil {
		t.Fatal(err)
	}
	if *budget > 0 {
		debug.SetMemoryLimit(*budget)
	}
	start, cpu := time.Now(), cpuTime(t)
	if err := x.Lock(dir); err != nil {
		t.Fatal(err)
	}
	var docs []similar.Document
	add := func() {
		if err := x.Add(t.Context(), docs...); err != nil {
			t.Fatal(err)
		}
		docs = docs[:0]
	}
	for id, text := range zipf.New(c).Documents() {
		docs, line.Text = append(docs, similar.Document{ID: id, Text: text}), line.Text+float64(len(text))/1e6
		if len(docs) == 1000 { // as package catalog does
			add()
		}
	}
	add()
	if err := x.Save(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	line.Seconds, line.Wall, line.Peak = (cpuTime(t) - cpu).Seconds(), time.Since(start).Seconds(), peakMB(t)
	line.Files, line.Disk = diskOf(t, dir)
	cpu = cpuTime(t)
	if err := x.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := x.Save(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	line.Compact = (cpuTime(t) - cpu).Seconds()
	line.Peak = max(line.Peak, peakMB(t))
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	line.measureUse(t, dir, c)
	writeSpeed(t, *memorySpeed, "go test ./similar -run TestMemorySpeed -memory-speed FILE -budget BYTES -many DOCUMENTS", "zipf.Standard with that many documents, added a thousand at a time", []memoryLine{line})
}

// measureUse opens the index, in the memory of the system, and uses it.
func (line *memoryLine) measureUse(t *testing.T, dir string, c zipf.Corpus) {
	t.Helper()
	var opens, firsts, hits []float64
	queries := slices.Collect(zipf.New(c).Queries(21, 3))
	for i := range 21 {
		runtime.GC()
		start := time.Now()
		x, err := similar.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		opens = append(opens, time.Since(start).Seconds()*1e3)
		if i == 0 {
			line.OpenPeak = residentMB(t)
		}
		start = time.Now()
		if _, err := x.Search(t.Context(), similar.Query{Text: queries[i]}); err != nil {
			t.Fatal(err)
		}
		firsts = append(firsts, time.Since(start).Seconds()*1e3)
		for k := 0; i == 20 && k < 1001; k++ {
			id, _ := zipf.New(zipf.Corpus{}).Document(int(math.Mod(float64(k)*7919, float64(c.Documents))))
			start := time.Now()
			if _, err := x.Document(id); err != nil {
				t.Fatal(err)
			}
			hits = append(hits, time.Since(start).Seconds()*1e3)
		}
		x.Close()
	}
	line.Open, line.First, line.Hit = middle(opens), middle(firsts), middle(hits)
}

func middle(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// diskOf returns how many segments an index has, and how many bytes.
func diskOf(t *testing.T, dir string) (segments int, mb float64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			mb += float64(info.Size()) / 1e6
		}
		if strings.HasSuffix(e.Name(), ".segment") {
			segments++
		}
	}
	return segments, mb
}

func peakMB(t *testing.T) float64     { return statusMB(t, "VmHWM:") }
func residentMB(t *testing.T) float64 { return statusMB(t, "VmRSS:") }

// statusMB returns a line of /proc/self/status.
func statusMB(t *testing.T, name string) float64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		t.Fatalf("/proc/self/status has no %s", name)
	}
	kb, err := strconv.ParseFloat(fields[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb * 1024 / 1e6
}
