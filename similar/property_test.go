package similar_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/weight"
)

var rounds = flag.Int("rounds", 240, "random collections to search; a tenth of them in shards, too")

// schemes are the weights that the random collections take turns with.
var schemes = []string{"", "bm25(k1=0.9,b=0.4)", "bm25(k1=0,b=1)", "", "lnc.ltc", "ltc.lnc", "anc.ntc", "npn.btn", "counts", "Lnu.Ltu", "log", "binary"}

// A campaign is an index and the plain loop, which are given the same documents.
type campaign struct {
	t     testing.TB
	r     *rand.Rand
	x     *similar.Index
	ref   *reference
	words int
	ids   int
	long  int

	spoken bool // the words are of languages
}

func newCampaign(t testing.TB, seed uint64) *campaign {
	r := rand.New(rand.NewPCG(seed, 1))
	s, err := weight.Parse(schemes[seed%uint64(len(schemes))])
	if err != nil {
		t.Fatal(err)
	}
	o := similar.Options{Weight: s, Positions: seed%3 == 1}
	if seed%4 == 2 || seed%8 == 1 {
		o.Fields = []similar.Field{{Name: "title", Weight: 1 + r.IntN(5)}, {Name: "author", Weight: r.IntN(3)}, {Name: "*", Weight: r.IntN(3)}}
		if r.IntN(2) == 0 {
			o.Fields[1].Type = similar.KeywordField
		}
		if r.IntN(2) == 0 {
			o.Fields = append(o.Fields, similar.Field{Name: "number", Weight: r.IntN(2), Type: similar.NumberField})
		}
	}
	if s.Kind == weight.KindBM25 || s.Kind == weight.KindDefault {
		ownB(r, &o)
	}
	x, err := similar.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return &campaign{t: t, r: r, x: x, ref: newReference(t, o), words: 1 + r.IntN(60), ids: 1 + r.IntN(300), long: 1 + r.IntN(60)}
}

// ownB gives some fields of half of the schemas their own B.
func ownB(r *rand.Rand, o *similar.Options) {
	if r.IntN(2) == 0 {
		return
	}
	if len(o.Fields) == 0 {
		o.Fields = []similar.Field{{Name: "text", Weight: 1 + r.IntN(2)}, {Name: "title", Weight: 1 + r.IntN(5)}, {Name: "*", Weight: 1}}
	}
	for i := range o.Fields {
		if o.Fields[i].Weight > 0 && r.IntN(2) == 0 {
			o.Fields[i].B = new([]float64{0, 1, 0.5, r.Float64()}[r.IntN(4)])
		}
	}
}

func (c *campaign) word() string {
	if c.spoken {
		return spokenWords[c.r.IntN(len(spokenWords))]
	}
	return fmt.Sprint("w", int(float64(c.words)*c.r.Float64()*c.r.Float64()))
}

func (c *campaign) textOf(n int) string {
	var s strings.Builder
	for range n {
		fmt.Fprint(&s, c.word(), " ")
	}
	return s.String()
}

// authors are one or several values of a keyword.
func (c *campaign) authors() string {
	list := c.word()
	for c.r.IntN(3) == 0 {
		list += []string{"; ", " "}[c.r.IntN(2)] + c.word()
	}
	return list
}

func (c *campaign) id() string { return fmt.Sprint(c.r.IntN(c.ids)) }

func (c *campaign) document() similar.Document {
	d := similar.Document{ID: c.id(), Title: c.textOf(c.r.IntN(4)), Text: c.textOf(c.r.IntN(c.long))}
	if c.r.IntN(5) == 0 {
		d.Fields = map[string]string{"author": c.authors(), "keywords": c.textOf(c.r.IntN(3)), "number": fmt.Sprint(c.r.IntN(80))}
	}
	if c.r.IntN(40) == 0 {
		d.Text += strings.Repeat(c.word()+" ", c.r.IntN(2000))
	}
	return d
}

// change adds, replaces or deletes some documents.
func (c *campaign) change() {
	switch c.r.IntN(6) {
	case 0:
		for range c.r.IntN(5) {
			id, want := c.id(), 0
			if c.ref.remove(id) {
				want = 1
			}
			if got, err := c.x.Delete(id, id); got != want || err != nil {
				c.t.Fatalf("%d documents were deleted as %q, want %d; %v", got, id, want, err)
			}
		}
	case 1:
		if c.r.IntN(3) == 0 {
			if err := c.x.Compact(context.Background()); err != nil {
				c.t.Fatal(err)
			}
		}
	default:
		var docs []similar.Document
		for range c.r.IntN([]int{2, 20, 200}[c.r.IntN(3)]) {
			docs = append(docs, c.document())
		}
		c.ref.add(docs...)
		if err := c.x.Add(context.Background(), docs...); err != nil {
			c.t.Fatal(err)
		}
	}
	if c.x.Len() != len(c.ref.documents) {
		c.t.Fatalf("%d documents, want %d", c.x.Len(), len(c.ref.documents))
	}
}

func (c *campaign) query() similar.Query {
	q := similar.Query{Text: c.textOf(c.r.IntN(4)), K: []int{0, 1, 1, 3, 10, 1000, -1}[c.r.IntN(7)]}
	if c.r.IntN(5) == 0 {
		q.Text = c.textOf(c.r.IntN(80))
	}
	if c.r.IntN(5) == 0 {
		q.Threshold = 5 * c.r.Float64()
	}
	if c.r.IntN(6) == 0 {
		q.Filter = func(d *similar.Document) bool { return len(d.Text)%3 != 0 }
	}
	if c.r.IntN(8) == 0 {
		d := c.document()
		q.Document = &d
	}
	if c.r.IntN(4) == 0 {
		for id := range c.ref.documents {
			if q.Like = append(q.Like, id); c.r.IntN(2) == 0 {
				break
			}
		}
	}
	q.Terms = []int{0, 0, 1, 7, 60, -1}[c.r.IntN(6)]
	return q
}

func (c *campaign) search(find func(context.Context, similar.Query) ([]similar.Hit, error)) {
	q := c.query()
	got, err := find(context.Background(), q)
	if err != nil {
		c.t.Fatal(err)
	}
	c.hold(q, fmt.Sprintf("%+v", q), got, c.ref.search(q))
}

// hold holds the answers to a query to those of the plain loop.
func (c *campaign) hold(q similar.Query, what string, got, want []similar.Hit) {
	if len(got) != len(want) {
		c.t.Fatalf("%s: %s: %d hits of %d, want %d", c.ref.scheme, what, len(got), q.K, len(want))
	}
	for i := range want {
		if got[i].Score != want[i].Score || !reflect.DeepEqual(got[i].Document, want[i].Document) {
			c.t.Fatalf("%s: %s: hit %d is %q with %v, want %q with %v", c.ref.scheme, what, i, got[i].Document.ID, got[i].Score, want[i].Document.ID, want[i].Score)
		}
	}
}

// TestRandomCollections holds searches to the plain loop, bit for bit.
func TestRandomCollections(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*rounds) {
		c := newCampaign(t, seed)
		for range 2 + c.r.IntN(6) {
			c.change()
			c.search(c.x.Search)
			c.search(c.x.Search)
		}
		c.x.Close()
	}
}

// TestLargeLists has lists of many blocks and several windows.
func TestLargeLists(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		c := newCampaign(t, seed*4)
		c.ids, c.words, c.long = 18_000, 3000, 8
		docs := make([]similar.Document, 12_000)
		for range 2 {
			for i := range docs {
				docs[i] = similar.Document{ID: c.id(), Text: c.textOf(c.r.IntN(c.long))}
			}
			c.ref.add(docs...)
			if err := c.x.Add(context.Background(), docs...); err != nil {
				t.Fatal(err)
			}
		}
		for range 12 {
			c.search(c.x.Search)
		}
	}
}
