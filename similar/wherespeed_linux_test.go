package similar_test

import (
	"flag"
	"runtime"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/zipf"
)

var whereSpeed = flag.String("where-speed", "", "measure searches with conditions among a million documents, and write the `file` of docs/measurements")

// whereTimes are those of queries of so many words with one condition, each the median over queries
// of the least of several runs.
type whereTimes struct {
	Words     int     `json:"words"`
	Where     string  `json:"where"`
	Without   float64 `json:"ms without"`
	Condition float64 `json:"ms"`
	Times     float64 `json:"times"`
	Function  float64 `json:"ms with a function"` // of three queries, run once
}

// TestWhereSpeed measures.
func TestWhereSpeed(t *testing.T) {
	if *whereSpeed == "" {
		t.Skip("-where-speed is not given")
	}
	runtime.GOMAXPROCS(1)
	x := openMillion(t)
	defer x.Close()
	var lines []whereTimes
	for _, words := range []int{1, 2, 3, 10, 100} {
		for _, text := range []string{"one=thousandth", "one=tenth", "nine=tenths"} {
			lines = append(lines, whereTimesOf(t, x, words, text))
		}
	}
	writeSpeed(t, *whereSpeed, "go test ./similar -run TestWhereSpeed -where-speed FILE -million FOLDER", "zipf.Standard, one segment, in memory; 25 queries; the sets of the conditions are kept from the query before", lines)
}

func whereTimesOf(t *testing.T, x *similar.Index, words int, text string) whereTimes {
	c, err := similar.ParseConditions(text)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(q similar.Query, runs int) float64 {
		best := 1e9
		for range runs {
			start := cpuTime(t)
			if _, err := x.Matches(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			best = min(best, (cpuTime(t)-start).Seconds()*1e3)
		}
		return best
	}
	var without, with, function []float64
	n := 0
	for q := range zipf.New(zipf.Standard).Queries(25, words) {
		without = append(without, ask(similar.Query{Text: q}, 15))
		with = append(with, ask(similar.Query{Text: q, Where: c}, 15))
		if n++; n <= 3 {
			function = append(function, ask(similar.Query{Text: q, Filter: c.Match}, 1))
		}
	}
	w := whereTimes{Words: words, Where: text, Without: median(without), Condition: median(with), Function: median(function)}
	w.Times = w.Condition / w.Without
	return w
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
