package eval

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// A Difference says how one measure differs between two reports of the same queries.
type Difference struct {
	Measure  string  `json:"measure"`
	Baseline float64 `json:"baseline"` // the mean of the first report
	Mean     float64 `json:"mean"`     // the mean of the second report
	Better   int     `json:"better"`   // queries for which the second report has more
	Worse    int     `json:"worse"`    // queries for which it has less
	// P is how likely a difference of the means at least as large is, in either direction, if the
	// two differ by chance only. It is common to take a difference for real where P is below 0.05.
	P float64 `json:"p"`
}

const (
	// exactQueries is up to how many queries that differ all exchanges are counted.
	exactQueries = 16
	// draws is how many random exchanges are counted otherwise. A P near 0.05 is right to 0.0014
	// then, in 95 of 100 cases.
	draws = 100_000
)

// Compare holds a report to a baseline, query by query: did the answers get better, or is it
// chance? P is of Fisher's randomisation test: if the two systems were the same, each query's two
// values could as well be exchanged (Smucker, Allan and Carterette, A comparison of statistical
// significance tests for information retrieval evaluation, CIKM 2007). Up to 16 queries that differ,
// all exchanges are counted. Above that, 100,000 random ones are, always the same. The time grows
// with the queries: a second for 1,000. The reports must be of the same queries.
func Compare(ctx context.Context, baseline, report *Report) ([]Difference, error) {
	before := map[string]Measures{}
	for _, q := range baseline.Queries {
		before[q.ID] = q.Measures
	}
	if len(before) != len(baseline.Queries) {
		return nil, fmt.Errorf("eval: the baseline has a query twice")
	}
	seen := map[string]bool{}
	for _, q := range report.Queries {
		if _, ok := before[q.ID]; !ok || seen[q.ID] {
			return nil, fmt.Errorf("eval: the baseline has %d queries and the report %d, and query %q is not once in each; compare reports of the same queries", len(before), len(report.Queries), q.ID)
		}
		seen[q.ID] = true
	}
	if len(seen) != len(before) || len(seen) == 0 {
		return nil, fmt.Errorf("eval: the baseline has %d queries and the report %d; compare reports of the same queries", len(before), len(seen))
	}
	var all []Difference
	for _, m := range compared {
		d := Difference{Measure: m.name, Baseline: m.of(baseline.Measures), Mean: m.of(report.Measures)}
		var differ []float64
		for _, q := range report.Queries {
			switch x := m.of(q.Measures) - m.of(before[q.ID]); {
			case x > 0:
				d.Better++
				differ = append(differ, x)
			case x < 0:
				d.Worse++
				differ = append(differ, x)
			}
		}
		var err error
		if d.P, err = randomisation(ctx, differ); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// compared are the measures that Compare holds against each other.
var compared = []struct {
	name string
	of   func(Measures) float64
}{
	{"map", func(m Measures) float64 { return m.MAP }},
	{"ndcg@10", func(m Measures) float64 { return m.NDCG10 }},
	{"P@10", func(m Measures) float64 { return m.P10 }},
	{"P@30", func(m Measures) float64 { return m.P30 }},
	{"recall", func(m Measures) float64 { return m.Recall }},
}

// randomisation returns the share of the ways to give each number a sign for which the sum is as
// far from 0 as it is, or farther. Numbers that are 0 change nothing, and the caller leaves them
// out. Sums that rounding alone parts count as equal.
func randomisation(ctx context.Context, differ []float64) (float64, error) {
	sum, size := 0.0, 0.0
	for _, x := range differ {
		sum += x
		size += math.Abs(x)
	}
	least := math.Abs(sum) - 1e-12*size
	if len(differ) <= exactQueries {
		count := 0
		for signs := range uint64(1) << len(differ) {
			if math.Abs(signed(differ, func() uint64 { return signs })) >= least {
				count++
			}
		}
		return float64(count) / float64(uint64(1)<<len(differ)), nil
	}
	r := rand.New(rand.NewPCG(1, 2))
	count := 1 // the order that was found is one of them
	for i := range draws {
		if i%1000 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if math.Abs(signed(differ, r.Uint64)) >= least {
			count++
		}
	}
	return float64(count) / (draws + 1), nil
}

// signed returns the sum of numbers, each with the sign that a bit says: next gives 64 of them.
func signed(xs []float64, next func() uint64) (sum float64) {
	for len(xs) > 0 {
		n := min(len(xs), 64)
		signs := bits.Reverse64(next())
		for _, x := range xs[:n] {
			sum += math.Float64frombits(math.Float64bits(x) ^ signs&(1<<63))
			signs <<= 1
		}
		xs = xs[n:]
	}
	return sum
}
