package similar_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/version"
)

// remote hides that a store is a folder.
type remote struct{ version.Store }

// TestStoredVersions builds versions of random collections, and holds them to one index and to the
// plain loop, bit for bit: all shards together, and each by itself.
func TestStoredVersions(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		c := newCampaign(t, 5000+seed)
		store := version.Store(version.Folder(t.TempDir()))
		n := 1 + c.r.IntN(5)
		c.fill()
		c.build(store, n)
		o := version.Options{}
		if seed%2 == 0 {
			cache, err := version.NewCache(t.TempDir(), 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			store, o.Cache = remote{store}, cache
		}
		all := c.opened(store, o)
		if all.Len() != c.x.Len() || all.Documents() != int64(c.x.Len()) || all.Of() != n {
			t.Fatalf("%d documents of %d in %d shards of %d", all.Len(), c.x.Len(), all.Of(), n)
		}
		for range 4 {
			c.search(all.Search)
			c.sameAnswers(all.Searcher)
		}
		c.sameNumbers(all.Searcher)
		var parts []*similar.Searcher
		for i := range n {
			o.Shards = []int{i}
			parts = append(parts, c.opened(store, o).Searcher)
		}
		for range 8 {
			c.searchParts(parts)
		}
	}
}

// fill adds documents to a campaign's index.
func (c *campaign) fill() {
	docs := map[string]similar.Document{}
	for range c.r.IntN(150) {
		d := c.document()
		docs[d.ID] = d
	}
	list := slices.Collect(maps.Values(docs))
	c.ref.add(list...)
	if err := c.x.Add(context.Background(), list...); err != nil {
		c.t.Fatal(err)
	}
}

// build writes the documents of a campaign's index as a version of n shards.
func (c *campaign) build(store version.Store, n int) {
	ctx := context.Background()
	docs := make([][]similar.Document, n)
	for id := range c.x.IDs("") {
		d, err := c.x.Document(id)
		if err != nil {
			c.t.Fatal(err)
		}
		i := similar.ShardOf(id, n)
		docs[i] = append(docs[i], d)
	}
	for _, i := range c.r.Perm(n) {
		x, err := similar.New(c.x.Options())
		if err != nil {
			c.t.Fatal(err)
		}
		c.t.Cleanup(func() { x.Close() })
		o := version.ShardOptions{Shard: i, Of: n, Temp: c.t.TempDir()}
		if err := errors.Join(x.Add(ctx, docs[i]...), version.WriteShard(ctx, store, x, o)); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := errors.Join(version.Seal(ctx, store), version.Seal(ctx, store)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *campaign) opened(store version.Store, o version.Options) *version.Version {
	v, err := version.Open(context.Background(), store, o)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		if err := v.Close(); err != nil {
			c.t.Error(err)
		}
	})
	return v
}

// sameAnswers holds searches with clauses, feedback and the rest to one index.
func (c *campaign) sameAnswers(x *similar.Searcher) {
	ctx := context.Background()
	q := c.query()
	q.Clause = c.clause(3)
	if c.r.IntN(2) == 0 {
		q.Feedback = &similar.Feedback{Method: similar.FeedbackMethod(c.r.IntN(2)), Documents: c.r.IntN(4), Terms: c.r.IntN(20)}
	}
	one, err1 := c.x.Search(ctx, q)
	many, err2 := x.Search(ctx, q)
	if (err1 == nil) != (err2 == nil) || !reflect.DeepEqual(one, many) {
		c.t.Fatalf("%+v: %d hits in one index and %d in the version, %v, %v", q, len(one), len(many), err1, err2)
	}
}
