package similar

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"reflect"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/similar/weight"
)

// Shards is one collection of documents in several indices, by a hash of the ids. It answers, bit
// for bit, like one index with all documents: the statistics are totals over all shards. A search
// sees one state of each shard. Any number of goroutines may use it at once.
type Shards struct {
	list []*Index

	mu   sync.Mutex
	seen []*view // the states that all is of
	all  *view
}

// NewShards returns the shards that were made with the same options and hold documents of their
// own: none, or those that Shards gave them before, in the same order. They stay the caller's to
// close.
func NewShards(list ...*Index) (*Shards, error) {
	if len(list) == 0 {
		return nil, errors.New("similar: shards of no index; give one at least")
	}
	for i, x := range list {
		o := x.options
		o.Memory = list[0].options.Memory
		if !reflect.DeepEqual(o, list[0].options) {
			return nil, fmt.Errorf("similar: shard %d was made with other options than shard 0", i)
		}
	}
	return &Shards{list: slices.Clone(list)}, nil
}

// Statistics are the numbers of a collection that the weights use.
type Statistics struct {
	weight.Collection
	Frequency map[string]int64 // of each term that was asked for: how many documents have it
}

// Statistics returns the statistics of the index, with the frequencies of some terms.
func (x *Index) Statistics(terms ...string) (s Statistics, err error) {
	v, err := x.state()
	if err != nil {
		return Statistics{}, err
	}
	defer v.end(&err)
	return v.statistics(terms), nil
}

func (v *view) statistics(terms []string) Statistics {
	s := Statistics{v.collection, map[string]int64{}}
	s.Postings -= v.marked()
	for _, t := range terms {
		s.Frequency[t] = v.df(t)
	}
	return s
}

// Statistics returns the statistics of all shards together.
func (s *Shards) Statistics(terms ...string) (all Statistics, err error) {
	v, err := s.state()
	if err != nil {
		return Statistics{}, err
	}
	defer v.end(&err)
	return v.statistics(terms), nil
}

// state returns one view of the present states of all shards.
func (s *Shards) state() (*view, error) {
	var seen []*view
	for _, x := range s.list {
		v, err := x.state()
		if err != nil {
			return nil, err
		}
		seen = append(seen, v)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil || !slices.Equal(seen, s.seen) {
		var parts []*part
		for _, v := range seen {
			parts = append(parts, v.parts...)
		}
		s.seen, s.all = seen, newView(parts, s.list[0].options)
	}
	return s.all, nil
}

// of returns the shard of an id.
func (s *Shards) of(id string) int {
	h := fnv.New64a()
	h.Write([]byte(id))
	return int(h.Sum64() % uint64(len(s.list)))
}

// Add adds documents as Index.Add does, to each shard its own at once. After an error some shards
// may have theirs and others not.
func (s *Shards) Add(ctx context.Context, docs ...Document) error {
	if _, err := s.list[0].orderOf(docs); err != nil {
		return err
	}
	of := make([][]Document, len(s.list))
	for _, d := range docs {
		of[s.of(d.ID)] = append(of[s.of(d.ID)], d)
	}
	var errs []error
	for i, x := range s.list {
		errs = append(errs, x.Add(ctx, of[i]...))
	}
	return errors.Join(errs...)
}

// Delete deletes documents and returns how many of the ids it knew. After an error some shards may
// have deleted theirs and others not.
func (s *Shards) Delete(ids ...string) (int, error) {
	n := 0
	var errs []error
	for _, x := range s.list {
		deleted, err := x.Delete(ids...)
		n, errs = n+deleted, append(errs, err)
	}
	return n, errors.Join(errs...)
}

// Len returns the number of documents.
func (s *Shards) Len() int {
	n := 0
	for _, x := range s.list {
		n += x.Len()
	}
	return n
}

// Document returns the document with an id, or ErrUnknown.
func (s *Shards) Document(id string) (Document, error) { return s.list[s.of(id)].Document(id) }

// Search searches as Index.Search does.
func (s *Shards) Search(ctx context.Context, q Query) ([]Hit, error) {
	v, err := s.state()
	if err != nil {
		return nil, err
	}
	return s.list[0].searchView(ctx, v, &q)
}

// Explain explains as Index.Explain does.
func (s *Shards) Explain(ctx context.Context, q Query, id string) ([]Share, error) {
	v, err := s.state()
	if err != nil {
		return nil, err
	}
	return s.list[0].explainView(ctx, v, &q, id)
}

// Pairs yields pairs as Index.Pairs does.
func (s *Shards) Pairs(ctx context.Context, o PairOptions) iter.Seq2[Neighbors, error] {
	return pairs(ctx, s.state, o)
}
