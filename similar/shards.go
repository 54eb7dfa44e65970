package similar

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
)

// Shards is one collection of documents in several indices, by a hash of the ids. It answers all that
// an index does, bit for bit like one index with all documents: the statistics are totals over all
// shards. A search sees one state of each shard. Any number of goroutines may use it at once.
type Shards struct {
	*Searcher // of all documents

	list []*Index

	all viewCache
}

// NewShards returns the shards that were made with the same options and hold documents of their
// own: none, or those that Shards gave them before, in the same order. They stay the caller's to
// close. NewShards reads all ids, and returns an error for a shard that comes twice or holds a
// document that Shards would give to another one.
func NewShards(list ...*Index) (*Shards, error) {
	if len(list) == 0 {
		return nil, errors.New("similar: shards of no index; give one at least")
	}
	s := &Shards{list: slices.Clone(list)}
	for i, x := range list {
		if first := slices.Index(list, x); first < i {
			return nil, fmt.Errorf("similar: shard %d is shard %d again", i, first)
		}
		o := x.options
		o.Memory = list[0].options.Memory
		if !reflect.DeepEqual(o, list[0].options) {
			return nil, fmt.Errorf("similar: shard %d was made with other options than shard 0", i)
		}
		if err := s.checkIDs(i); err != nil {
			return nil, err
		}
	}
	s.Searcher = list[0].over(s.present)
	return s, nil
}

// checkIDs returns an error for a shard with a document of another one, which Add would not replace.
func (s *Shards) checkIDs(shard int) (err error) {
	v, err := s.list[shard].state()
	if err != nil {
		return err
	}
	defer v.end(&err)
	for f := range v.byID("") {
		if id := v.parts[f.part].ID(int(f.ord)); s.of(id) != shard {
			return fmt.Errorf("similar: shard %d of %d has document %q, which belongs to shard %d; give the shards in the order in which they were filled", shard, len(s.list), id, s.of(id))
		}
	}
	return nil
}

// present returns one view of the present states of all shards.
func (s *Shards) present() (*view, error) {
	var seen []*view
	for _, x := range s.list {
		v, err := x.state()
		if err != nil {
			return nil, err
		}
		seen = append(seen, v)
	}
	return s.all.of(seen, func() *view {
		var parts []*part
		for _, v := range seen {
			parts = append(parts, v.parts...)
		}
		return newView(parts, s.options)
	}), nil
}

// of returns the shard of an id.
func (s *Shards) of(id string) int { return ShardOf(id, len(s.list)) }

// ShardOf returns which of n shards has the document with an id, 0 to n-1: the FNV-1a hash of the
// id, of 64 bits, modulo n. The documents of shard i of n are in shard i modulo m of m, where m
// divides n.
func ShardOf(id string, n int) int {
	h := fnv.New64a()
	h.Write([]byte(id))
	return int(h.Sum64() % uint64(n))
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
