// Package eval says how good an index's answers are: it asks the queries of a test collection and
// holds the answers to its judgements.
//
//	queries, err := eval.ReadQueries(queriesFile)
//	qrels, err := eval.ReadQrels(qrelsFile)
//	report, err := eval.Run(ctx, index, queries, qrels, eval.Options{})
//	fmt.Println(report.MAP, report.NDCG10)
package eval

import (
	"cmp"
	"context"
	"fmt"

	"github.com/gridstride/gridstride/similar"
)

// A Searcher answers queries; *similar.Index does.
type Searcher interface {
	Search(context.Context, similar.Query) ([]similar.Hit, error)
}

// Options say how to ask a collection's queries.
type Options struct {
	// Depth is how many documents are looked at for each query; 1000 where 0, as at TREC.
	Depth int
	// Search has the parts of a search besides the query's text: feedback, a filter. Its Text and K
	// are not used.
	Search similar.Query
}

// A Result is how good one query's answer is.
type Result struct {
	ID string `json:"id"`
	Measures
	Relevant int `json:"relevant"` // documents that are relevant
	Found    int `json:"found"`    // documents in the list
}

// A Report is the means over the judged queries, and the queries by themselves in their order.
type Report struct {
	Measures
	Judged   int      `json:"judged"`   // queries with a judgement: the means are over these
	Unjudged int      `json:"unjudged"` // queries without one, which are not asked
	Unasked  int      `json:"unasked"`  // judged queries that are not among the queries
	Queries  []Result `json:"queries"`
}

// Run asks the judged queries and measures the answers. The means are over all of them, also those
// that find nothing, as with trec_eval's option -c. Documents count in the order of the list, in
// which equal scores have the lower id first; trec_eval takes the higher id first, so its figures
// can differ in such ties. It is an error when no query is judged, for then the ids do not fit.
func Run(ctx context.Context, s Searcher, queries []Query, qrels Qrels, o Options) (*Report, error) {
	r := &Report{}
	for _, q := range queries {
		grades, judged := qrels[q.ID]
		if !judged {
			r.Unjudged++
			continue
		}
		result, err := ask(ctx, s, q, grades, o)
		if err != nil {
			return nil, fmt.Errorf("eval: query %q: %w", q.ID, err)
		}
		r.Queries = append(r.Queries, result)
	}
	r.Judged = len(r.Queries)
	r.Unasked = len(qrels) - r.Judged
	if r.Judged == 0 {
		return nil, fmt.Errorf("eval: none of the %d queries is judged, %d others are: do queries and judgements belong together?", r.Unjudged, r.Unasked)
	}
	r.Measures = mean(r.Queries)
	return r, nil
}

func ask(ctx context.Context, s Searcher, q Query, grades map[string]int, o Options) (Result, error) {
	query := o.Search
	query.Text, query.K = q.Text, cmp.Or(o.Depth, 1000)
	hits, err := s.Search(ctx, query)
	if err != nil {
		return Result{}, err
	}
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.Document.ID
	}
	result := Result{ID: q.ID, Measures: Measure(grades, ids), Found: len(ids)}
	for _, grade := range grades {
		if grade > 0 {
			result.Relevant++
		}
	}
	return result, nil
}
