package similar_test

import (
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/zipf"
)

var (
	likeSpeed = flag.String("like-speed", "", "measure searches by documents among a million, and write the `file` of docs/measurements")
	million   = flag.String("million", "", "the `folder` with an index of zipf.Standard, in one segment, its documents with fields; it is made if it is not there")
	speedDate = flag.String("date", "", "the day for that file")
	speedOf   = flag.String("commit", "", "and the commit")
)

// likeTimes are those of documents of one length. A time is the median over documents of the least
// of several runs.
type likeTimes struct {
	Words  int     `json:"words"`
	Best   float64 `json:"ms"`
	Worst  float64 `json:"ms of the slowest document"`
	All    float64 `json:"ms with all terms"`
	Recall float64 `json:"of the ten best with all terms"`
}

// TestLikeSpeed measures.
func TestLikeSpeed(t *testing.T) {
	if *likeSpeed == "" {
		t.Skip("-like-speed is not given")
	}
	runtime.GOMAXPROCS(1)
	x := openMillion(t)
	defer x.Close()
	var lines []likeTimes
	for _, words := range []int{100, 1000, 5000, 20_000} {
		lines = append(lines, likeTimesOf(t, x, words))
	}
	writeSpeed(t, *likeSpeed, "go test ./similar -run TestLikeSpeed -like-speed FILE -million FOLDER", "zipf.Standard, one segment, in memory; 21 texts of each length, not of the index, analysed in each run", lines)
}

// writeSpeed writes a file of docs/measurements.
func writeSpeed(t *testing.T, name, command, data string, lines any) {
	t.Helper()
	report := struct {
		Date    string `json:"date"`
		Commit  string `json:"commit"`
		Command string `json:"command"`
		Data    string `json:"data"`
		Device  string `json:"device"`
		Lines   any    `json:"lines"`
	}{*speedDate, *speedOf, command, data, "processor time of one core of two, AMD EPYC, which much other work shared", lines}
	text, err := json.MarshalIndent(report, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// cpuTime is how long this process has had a processor: other work is not counted.
func cpuTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func openMillion(t *testing.T) *similar.Index {
	t.Helper()
	x, err := similar.Open(t.Context(), *million)
	if err == nil {
		return x
	}
	if x, err = similar.New(similar.Options{}); err != nil {
		t.Fatal(err)
	}
	var docs []similar.Document
	n := 0
	for id, text := range zipf.New(zipf.Standard).Documents() {
		n++
		d := similar.Document{ID: id, Text: text, Fields: map[string]string{"nine": "tenths"}}
		if n%10 == 0 {
			d.Fields = map[string]string{"one": "tenth"}
		}
		if n%1000 == 0 {
			d.Fields["one"] = "thousandth; tenth"
		}
		if docs = append(docs, d); len(docs) == 50_000 {
			if err := x.Add(t.Context(), docs...); err != nil {
				t.Fatal(err)
			}
			docs = docs[:0]
		}
	}
	if err := x.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := x.Save(t.Context(), *million); err != nil {
		t.Fatal(err)
	}
	return x
}

func likeTimesOf(t *testing.T, x *similar.Index, words int) likeTimes {
	c := zipf.Standard
	c.Length, c.Seed = words, 7
	g := zipf.New(c)
	ask := func(text string, terms, runs int) (best float64, ids []string) {
		best = 1e9
		for range runs {
			start := cpuTime(t)
			matches, err := x.Matches(t.Context(), similar.Query{Document: &similar.Document{Text: text}, Terms: terms})
			best = min(best, (cpuTime(t)-start).Seconds()*1e3)
			if err != nil {
				t.Fatal(err)
			}
			ids = ids[:0]
			for _, m := range matches {
				ids = append(ids, m.ID)
			}
		}
		return best, ids
	}
	var times, all []float64
	found, of := 0, 0
	for i := range 21 {
		_, text := g.Document(i)
		best, ids := ask(text, 0, 25)
		times = append(times, best)
		if i >= 3 {
			continue
		}
		full, want := ask(text, -1, 1+500/words)
		all = append(all, full)
		for _, id := range want {
			if of++; slices.Contains(ids, id) {
				found++
			}
		}
	}
	return likeTimes{words, median(times), slices.Max(times), median(all), float64(found) / float64(of)}
}
