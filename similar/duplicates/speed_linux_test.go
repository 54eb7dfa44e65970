package duplicates_test

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/duplicates"
	"github.com/gridstride/gridstride/similar/internal/zipf"
	"github.com/gridstride/gridstride/similar/minhash"
)

var (
	speed       = flag.String("speed", "", "measure, and write the `file` of docs/measurements")
	speedSizes  = flag.Int("speed-sizes", 3, "how many `sizes`: 12,500, 25,000, 50,000 …")
	speedRival  = flag.String("speed-rival", "", "a `Python` with datasketch, to be measured beside")
	speedPairs  = flag.Bool("speed-pairs", false, "measure exact pairs alone")
	speedCommit = flag.String("speed-commit", "", "the `commit` that is measured")
)

// rival has datasketch make keys of documents.
//
//go:embed testdata/rival.py
var rival string

// A speedLine has the times of a size, of a processor.
type speedLine struct {
	Documents int     `json:"documents"`
	Nearest   float64 `json:"ms for the 10 nearest of a document,omitempty"`
	Above     float64 `json:"ms for all above 0.8 of a document,omitempty"`
	Part      float64 `json:"s to find the documents of a part of the pairs,omitempty"`
	Read      float64 `json:"us to read a document,omitempty"`
	Keys      float64 `json:"us to read a document and make its keys,omitempty"`
	OneBand   float64 `json:"us to read a document and make one key,omitempty"`
	Shingles  float64 `json:"us to read a document and make its shingles,omitempty"`
	Jaccard   float64 `json:"ns a comparison of two sets of shingles,omitempty"`
	Find      float64 `json:"us a document for near-duplicates,omitempty"`
	Spilled   float64 `json:"us a document for near-duplicates with 16 MiB to sort in,omitempty"`
	Rival     float64 `json:"us a document for the keys of datasketch and its table,omitempty"`
	Compared  int64   `json:"pairs compared,omitempty"`
	Groups    int     `json:"groups,omitempty"`
	Found     float64 `json:"part of the copies with a coefficient of 0.8 that are in one group with the original,omitempty"`
}

// recallLine is how many of pairs share a key.
type recallLine struct {
	Coefficient float64 `json:"coefficient"`
	Pairs       int     `json:"pairs,omitempty"`
	Found       float64 `json:"part that shares a key,omitempty"`
	Bound       float64 `json:"1-(1-s^6)^20,omitempty"`
}

// TestSpeed measures the rates of the model in docs/scale.md. It must run in a process of its own.
func TestSpeed(t *testing.T) {
	if *speed == "" {
		t.Skip("-speed is not given")
	}
	report := map[string]any{
		"what":    "near-duplicates and exact pairs: processor time by size, and recall by coefficient",
		"command": "go test ./similar/duplicates -run TestSpeed -speed FILE -speed-rival PYTHON -speed-commit COMMIT",
		"data":    "similar/internal/zipf, 100 words of 500,000; every tenth document is the one before it with 0 to 4 words changed. Recall: pairs of texts with exactly these coefficients",
		"date":    time.Now().Format(time.DateOnly),
		"commit":  *speedCommit,
		"go":      runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		"machine": "2 amd64 cores at 2.5 GHz, which much other work shared: times are of the processor",
	}
	if *speedPairs {
		report["what"] = "exact pairs: processor time by size"
		report["command"] = "go test ./similar/duplicates -run TestSpeed -speed FILE -speed-pairs -speed-commit COMMIT"
	} else {
		var recall []recallLine
		for _, percent := range []int{50, 60, 70, 80, 90} {
			recall = append(recall, recallOf(t, percent))
		}
		report["recall"] = recall
	}
	var lines []speedLine
	for i := range *speedSizes {
		lines = append(lines, speedOf(t, 12_500<<i))
		t.Logf("%+v", lines[i])
		report["rows"] = lines
		text, err := json.MarshalIndent(report, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*speed, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func recallOf(t *testing.T, percent int) recallLine {
	h, err := minhash.New(minhash.Options{Words: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(percent), 7))
	line := recallLine{Coefficient: float64(percent) / 100, Pairs: 20_000}
	for range line.Pairs {
		var x, y []string
		for i := range 100 {
			word := fmt.Sprint("w", r.Uint64())
			if i < percent || i%2 == 0 {
				x = append(x, word)
			}
			if i < percent || i%2 == 1 {
				y = append(y, word)
			}
		}
		if sharesKey(h, strings.Join(x, " "), strings.Join(y, " ")) {
			line.Found += 1 / float64(line.Pairs)
		}
	}
	line.Bound = h.Options().Recall(line.Coefficient)
	return line
}

// cpu is how long this process has had a processor.
func cpu(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// copies makes the texts of a size.
func copies(n int) texts {
	c := zipf.Standard
	c.Documents = n
	g, list := zipf.New(c), make(texts, n)
	for i := range list {
		_, list[i] = g.Document(i)
		if i%10 != 9 {
			continue
		}
		words, others := strings.Fields(list[i-1]), strings.Fields(list[i])
		for k := range i / 10 % 5 {
			words[20*k+7] = others[k]
		}
		list[i] = strings.Join(words, " ")
	}
	return list
}

// speedOf measures one size.
func speedOf(t *testing.T, n int) speedLine {
	line, list := speedLine{Documents: n}, copies(n)
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for chunk := range slices.Chunk(slices.Collect(documentsOf(list)), 1000) {
		if err := x.Add(t.Context(), chunk...); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	docs, err := x.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	line.pairs(t, x)
	if *speedPairs {
		return line
	}
	line.keys(t, docs)
	for _, memory := range []int64{0, 16 << 20} {
		start := cpu(t)
		g, err := duplicates.Find(t.Context(), docs, duplicates.Options{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		groups := all(t, g)
		took := float64((cpu(t) - start).Microseconds()) / float64(n)
		if memory > 0 {
			line.Spilled = took
			continue
		}
		line.Find, line.Compared, line.Groups = took, g.Compared, len(groups)
		line.Found = foundOf(t, list, groups)
	}
	if *speedRival != "" {
		line.Rival = rivalOf(t, list)
	}
	return line
}

// pairs measures exact pairs by a part in the middle: of 600 documents for the nearest, and of 3,000
// for all above a similarity. To find the documents of a part is measured by one that has hardly any.
func (line *speedLine) pairs(t *testing.T, x *similar.Index) {
	run := func(o similar.PairOptions) (documents int, took time.Duration) {
		o.Part = o.Parts / 2
		start := cpu(t)
		for _, err := range x.Pairs(t.Context(), o) {
			if err != nil {
				t.Fatal(err)
			}
			documents++
		}
		return documents, cpu(t) - start
	}
	_, part := run(similar.PairOptions{K: 1, Parts: similar.MaxParts})
	line.Part = part.Seconds()
	ms := func(o similar.PairOptions) float64 {
		documents, took := run(o)
		return (took - part).Seconds() * 1000 / float64(documents)
	}
	line.Nearest = ms(similar.PairOptions{K: 10, Parts: line.Documents / 600})
	line.Above = ms(similar.PairOptions{K: 100, Threshold: 0.8, Parts: line.Documents / 3000})
}

// keys measures the steps of near-duplicates on 10,000 documents.
func (line *speedLine) keys(t *testing.T, docs *similar.Listing) {
	h, err := minhash.New(minhash.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := min(docs.Len(), 10_000)
	var keys []uint64
	measure := func(work func(text string)) float64 {
		start := cpu(t)
		for i := range n {
			d, err := docs.Document(i)
			if err != nil {
				t.Fatal(err)
			}
			work(duplicates.Text(&d))
		}
		return float64((cpu(t) - start).Microseconds()) / float64(n)
	}
	var list [][]uint64
	line.Read = measure(func(string) {})
	line.Keys = measure(func(text string) { keys = h.Keys(keys[:0], text) })
	line.OneBand = measure(func(text string) { keys = h.KeysOf(keys[:0], text, 3, 4) })
	line.Shingles = measure(func(text string) { list = append(list, h.Shingles(text)) })
	start, sum := cpu(t), 0.0
	for i := range list {
		for j := max(0, i-20); j < i; j++ {
			sum += minhash.Jaccard(list[i], list[j])
		}
	}
	line.Jaccard = float64((cpu(t) - start).Nanoseconds()) / float64(20*len(list))
	if sum == 0 {
		t.Error("no documents are alike")
	}
}

// foundOf returns which part of the near copies is found.
func foundOf(t *testing.T, list texts, groups [][]int) float64 {
	h, err := minhash.New(minhash.Options{})
	if err != nil {
		t.Fatal(err)
	}
	group := map[int]int{}
	for i, g := range groups {
		for _, d := range g {
			group[d] = i + 1
		}
	}
	found, of := 0, 0
	for i := 9; i < len(list); i += 10 {
		if minhash.Jaccard(h.Shingles(list[i]), h.Shingles(list[i-1])) < 0.8 {
			continue
		}
		if of++; group[i] > 0 && group[i] == group[i-1] {
			found++
		}
	}
	return float64(found) / float64(of)
}

// rivalOf measures datasketch on the first 2,000 documents.
func rivalOf(t *testing.T, list texts) float64 {
	c := exec.CommandContext(t.Context(), *speedRival, "-c", rival)
	c.Stdin, c.Stderr = strings.NewReader(strings.Join(list[:2000], "\n")), os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	us := 0.0
	if _, err := fmt.Sscan(string(out), &us); err != nil {
		t.Fatal(err)
	}
	return us
}
