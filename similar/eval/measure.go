package eval

import (
	"math"
	"slices"
)

// Measures say how good a list of documents is for a query, each from 0 to 1, or their means over
// queries. The definitions follow trec_eval, the program of the TREC conferences
// (https://github.com/usnistgov/trec_eval), whose names for them are map, ndcg_cut_10, P_10, P_30
// and recall at the length of the list. A document that is not judged is not relevant.
type Measures struct {
	// MAP is the average precision (Buckley and Voorhees, Evaluating Evaluation Measure Stability,
	// 2000): the mean over all relevant documents of the precision at its rank, which is 0 for one
	// that is not in the list. Over queries it is their mean, hence its name.
	MAP float64 `json:"map"`
	// NDCG10 is the sum of grade/log2(rank+1) over the first ten, divided by the sum of the best list
	// possible (Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002).
	NDCG10 float64 `json:"ndcg@10"`
	// P10 and P30 are the number of relevant documents among the first 10 and 30, divided by 10 and
	// 30, however short the list is.
	P10 float64 `json:"P@10"`
	P30 float64 `json:"P@30"`
	// Recall is the number of relevant documents in the list, divided by the number of all.
	Recall float64 `json:"recall"`
}

// Measure measures a list of documents, the best first, against the grades of one query. A document
// that occurs in the list again is not relevant again. Without a relevant document every measure is
// 0.
func Measure(grades map[string]int, ranked []string) Measures {
	var relevant []int
	for _, grade := range grades {
		if grade > 0 {
			relevant = append(relevant, grade)
		}
	}
	if len(relevant) == 0 {
		return Measures{}
	}
	gains := gainsOf(grades, ranked)
	slices.SortFunc(relevant, func(a, b int) int { return b - a })

	var m Measures
	found, found10, found30 := 0, 0, 0
	for i, gain := range gains {
		if gain == 0 {
			continue
		}
		found++
		m.MAP += float64(found) / float64(i+1)
		if i < 10 {
			found10++
		}
		if i < 30 {
			found30++
		}
	}
	m.MAP /= float64(len(relevant))
	m.P10, m.P30 = float64(found10)/10, float64(found30)/30
	m.NDCG10 = discounted(gains, 10) / discounted(relevant, 10)
	m.Recall = float64(found) / float64(len(relevant))
	return m
}

// gainsOf returns the grade of each document of a list, 0 of one that is not relevant.
func gainsOf(grades map[string]int, ranked []string) []int {
	gains := make([]int, len(ranked))
	seen := make(map[string]bool, len(ranked))
	for i, id := range ranked {
		if !seen[id] {
			gains[i] = max(grades[id], 0)
		}
		seen[id] = true
	}
	return gains
}

// discounted is the discounted cumulated gain of the first n.
func discounted(gains []int, n int) float64 {
	sum := 0.0
	for i, gain := range gains[:min(n, len(gains))] {
		sum += float64(gain) / math.Log2(float64(i+2))
	}
	return sum
}

// mean returns the means of the measures of queries, 0 of none.
func mean(results []Result) (m Measures) {
	n := float64(max(1, len(results)))
	for _, r := range results {
		m.MAP += r.MAP / n
		m.NDCG10 += r.NDCG10 / n
		m.P10 += r.P10 / n
		m.P30 += r.P30 / n
		m.Recall += r.Recall / n
	}
	return m
}
