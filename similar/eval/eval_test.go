package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/eval"
)

// ids returns n ids of documents that nobody has judged.
func ids(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint("x", i))
	}
	return list
}

// TestMeasure holds the measures to figures worked out by hand.
func TestMeasure(t *testing.T) {
	t.Parallel()
	grades := map[string]int{"a": 3, "b": 1, "c": 2, "d": 0, "e": -1}
	l3, l4 := math.Log2(3), 2.0 // log2 of rank+1
	ideal := 3 + 2/l3 + 1/l4
	for _, c := range []struct {
		what   string
		ranked []string
		want   eval.Measures
	}{
		{"nothing found", nil, eval.Measures{}},
		{"only what is not relevant", []string{"d", "e", "x"}, eval.Measures{}},
		{"the best list", []string{"a", "c", "b"}, eval.Measures{MAP: 1, NDCG10: 1, P10: .3, P30: .1, Recall: 1}},
		{"b first, a third", []string{"b", "x", "a"},
			eval.Measures{MAP: (1 + 2./3) / 3, NDCG10: (1 + 3/l4) / ideal, P10: .2, P30: 2. / 30, Recall: 2. / 3}},
		{"a second, judged ones between", []string{"d", "a", "e"},
			eval.Measures{MAP: .5 / 3, NDCG10: 3 / l3 / ideal, P10: .1, P30: 1. / 30, Recall: 1. / 3}},
		{"one twice", []string{"a", "a"}, eval.Measures{MAP: 1. / 3, NDCG10: 3 / ideal, P10: .1, P30: 1. / 30, Recall: 1. / 3}},
		{"at 10", append(ids(9), "a"), eval.Measures{MAP: .1 / 3, NDCG10: 3 / math.Log2(11) / ideal, P10: .1, P30: 1. / 30, Recall: 1. / 3}},
		{"at 11", append(ids(10), "a"), eval.Measures{MAP: 1. / 11 / 3, P30: 1. / 30, Recall: 1. / 3}},
		{"at 30", append(ids(29), "c"), eval.Measures{MAP: 1. / 30 / 3, P30: 1. / 30, Recall: 1. / 3}},
		{"at 31", append(ids(30), "c"), eval.Measures{MAP: 1. / 31 / 3, Recall: 1. / 3}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			got := eval.Measure(grades, c.ranked)
			g, w := reflect.ValueOf(got), reflect.ValueOf(c.want)
			for i := range g.NumField() {
				if math.Abs(g.Field(i).Float()-w.Field(i).Float()) > 1e-12 {
					t.Errorf("%s is %v, want %v", g.Type().Field(i).Name, g.Field(i), w.Field(i))
				}
			}
		})
	}
	if got := eval.Measure(map[string]int{"a": 0}, []string{"a"}); got != (eval.Measures{}) {
		t.Errorf("without a relevant document: %+v", got)
	}
}

// answers is a Searcher with an answer for each text.
type answers map[string][]string

func (a answers) Search(_ context.Context, q similar.Query) (hits []similar.Hit, err error) {
	if q.K != 1000 || q.Threshold != 2 {
		return nil, fmt.Errorf("asked %+v", q)
	}
	list, ok := a[q.Text]
	if !ok {
		return nil, errors.New("no answer")
	}
	for _, id := range list {
		hits = append(hits, similar.Hit{Document: similar.Document{ID: id}})
	}
	return hits, nil
}

// TestRun averages over the judged queries, and says which were not.
func TestRun(t *testing.T) {
	t.Parallel()
	queries := []eval.Query{{"1", "one"}, {"2", "two"}, {"3", "three"}}
	qrels := eval.Qrels{"1": {"a": 1}, "2": {"a": 1, "b": 2}, "9": {"a": 1}}
	o := eval.Options{Search: similar.Query{Threshold: 2, K: 3, Text: "not used"}}
	r, err := eval.Run(t.Context(), answers{"one": {"x", "a"}, "two": nil}, queries, qrels, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.MAP != .25 || r.Recall != .5 || r.Judged != 2 || r.Unjudged != 1 || r.Unasked != 1 || len(r.Queries) != 2 {
		t.Errorf("got %+v", r)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"map":0.25,"ndcg@10":`, `"P@10":0.05,"P@30":`, `"recall":0.5,"judged":2,`, `"queries":[{"id":"1","map":0.5,`, `"relevant":2,"found":0}]}`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the JSON has no %s: %s", want, b)
		}
	}

	if _, err := eval.Run(t.Context(), answers{}, queries, qrels, o); err == nil || !strings.Contains(err.Error(), `query "1": no answer`) {
		t.Errorf("an index that fails: %v", err)
	}
	if _, err := eval.Run(t.Context(), answers{}, queries, eval.Qrels{"301": {"a": 1}}, o); err == nil || !strings.Contains(err.Error(), "none of the 3 queries is judged, 1 others are") {
		t.Errorf("judgements of another collection: %v", err)
	}
}

func TestReadQueries(t *testing.T) {
	t.Parallel()
	one := []eval.Query{{"1", "what is a heap"}, {"q 2", "two"}}
	for what, c := range map[string]struct {
		text string
		want []eval.Query
		err  string
	}{
		"nothing":     {},
		"tabs":        {text: "\ufeff1\twhat is a heap\r\n\nq 2\t two \n", want: one},
		"no tab":      {text: "1\ta\n2 b", err: `line 2: "2 b" is not an id, a tab and a text`},
		"twice":       {text: "1\ta\n1\tb", err: `line 2: query "1" is given twice`},
		"not UTF-8":   {text: "1\t\xff", err: "line 1: not UTF-8"},
		"topics":      {text: "\n<top>\n<num> Number: 1\n<title> Topic: what is\n a heap\n\n<desc> Description:\nA <b>\n</top>\n<top><num>q 2</num><title>two</title></top>", want: one},
		"in a root":   {text: "<topics>\n<top><num>1</num><title>a</title></top>\n</topics>\n", want: []eval.Query{{"1", "a"}}},
		"no title":    {text: "<top>\n<num> Number: 1\n</top>", err: "line 3: a topic without a number or a title ends here"},
		"no end":      {text: "<top>\n<num> 1\n<title> a", err: "the last topic has no </top>"},
		"no tag end":  {text: "<top>\n<num 1\n", err: `line 2: the tag "<num 1" has no end`},
		"BEIR":        {text: `{"_id": "1", "text": "what is a heap", "metadata": {"a": []}}` + "\n" + `{"_id": "q 2", "text": "two"}`, want: one},
		"ir_datasets": {text: `{"query_id": "1", "text": "what is a heap"}` + "\n" + `{"query_id": "q 2", "title": "two", "narrative": "x"}`, want: one},
		"no text":     {text: `{"_id": "1"}`, err: `line 1: "{\"_id\": \"1\"}" has no _id, query_id or id, or neither text nor title`},
		"no object":   {text: `{"_id": "1", "text": "a"}` + "\n1\ttwo", err: `line 2: "1\ttwo" is not an object of a query: `},
		"topic twice": {text: "<top><num>1<title>a</top>\n<top><num>1<title>a</top>", err: `line 2: query "1" is given twice`},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			got, err := eval.ReadQueries(strings.NewReader(c.text))
			if !reflect.DeepEqual(got, c.want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestReadQrels(t *testing.T) {
	t.Parallel()
	got, err := eval.ReadQrels(strings.NewReader("1 0 a 1\n\n1\t0\tb c\t-1\r\n2  0   a  4"))
	want := eval.Qrels{"1": {"a": 1, "b c": -1}, "2": {"a": 4}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for what, text := range map[string]string{
		"BEIR":        "query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb c\t-1\n2\ta\t4\n",
		"ir_datasets": `{"query_id": "1", "doc_id": "a", "relevance": 1, "iteration": "0"}` + "\n" + `{"query_id": "1", "doc_id": "b c", "relevance": -1}` + "\n\n" + `{"query_id": "2", "doc_id": "a", "relevance": 4}`,
	} {
		if got, err := eval.ReadQrels(strings.NewReader(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, %v", what, got, err)
		}
	}
	if got, want := want.Binary(), (eval.Qrels{"1": {"a": 1, "b c": 0}, "2": {"a": 1}}); !reflect.DeepEqual(got, want) {
		t.Errorf("binary: %v", got)
	}
	for text, want := range map[string]string{
		"1 0 a":                                 `line 1: "1 0 a" is not query, 0, document and grade`,
		"query-id\tcorpus-id\tscore\n1\ta":      `line 2: "1\ta" is not query, document and score`,
		"query-id\tcorpus-id\tscore\n1\ta\t0.5": `line 2: the grade "0.5" is no whole number`,
		`{"query_id": "1", "doc_id": "a"}`:      `is not an object with query_id, doc_id and relevance: a member is missing`,
		`{"query_id": 1}`:                       `line 1: "{\"query_id\": 1}" is not an object with`,
		"1 0 a good":                            `line 1: the grade "good" is no whole number`,
		"1 0 a 1\n1 0 a 0":                      `line 2: document "a" is judged twice for query "1"`,
	} {
		if _, err := eval.ReadQrels(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
