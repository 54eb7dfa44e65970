package duplicates

import (
	"context"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/similar/internal/extsort"
	"github.com/gridstride/gridstride/similar/minhash"
)

const (
	// Window is with how many documents before it one is compared, of those that share a key.
	Window = 1000
	// batchDocuments is how many candidates wait until their shingles are read by all processors.
	batchDocuments = 4096
)

// A comparison is of documents that share a key, ascending: those from first on are compared with
// those before them.
type comparison struct {
	documents []uint32
	first     int
}

// compareAll compares the documents that share a key, key by key.
func (f *finder) compareAll(ctx context.Context, sorter *extsort.Sorter) error {
	var bucket []uint32
	key := uint64(0)
	for r, err := range sorter.Sorted(ctx) {
		if err != nil {
			return err
		}
		if r.Key != key {
			if err := f.add(ctx, bucket); err != nil {
				return err
			}
			bucket, key = bucket[:0], r.Key
		}
		bucket = append(bucket, r.Value)
	}
	if err := f.add(ctx, bucket); err != nil {
		return err
	}
	return f.compareBatch(ctx)
}

// add compares documents that share a key, or has them wait for others.
func (f *finder) add(ctx context.Context, bucket []uint32) error {
	if len(bucket) < 2 || f.groups.connected(bucket) {
		return nil
	}
	if len(bucket) > Window+1 {
		f.groups.Cut++
	}
	if len(bucket) <= batchDocuments {
		f.batch = append(f.batch, comparison{slices.Clone(bucket), 0})
		if f.waiting += len(bucket); f.waiting < batchDocuments {
			return nil
		}
		return f.compareBatch(ctx)
	}
	if err := f.compareBatch(ctx); err != nil {
		return err
	}
	for from := 0; from < len(bucket); from += batchDocuments {
		before := max(0, from-Window)
		f.batch = append(f.batch, comparison{bucket[before:min(from+batchDocuments, len(bucket))], from - before})
		if err := f.compareBatch(ctx); err != nil {
			return err
		}
	}
	return nil
}

// compareBatch compares the documents that wait.
func (f *finder) compareBatch(ctx context.Context) error {
	defer f.sets.forget()
	if err := f.sets.read(ctx, f.batch); err != nil {
		return err
	}
	for _, c := range f.batch {
		for j := c.first; j < len(c.documents); j++ {
			if err := f.compareWith(ctx, c.documents[j], c.documents[max(0, j-Window):j]); err != nil {
				return err
			}
		}
	}
	f.batch, f.waiting = f.batch[:0], 0
	return nil
}

// compareWith compares a document with others, the last ones first, as later copies are often close.
// It leaves out those that are connected to it already.
func (f *finder) compareWith(ctx context.Context, a uint32, others []uint32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for j := len(others) - 1; j >= 0; j-- {
		b := others[j]
		if f.groups.root(a) == f.groups.root(b) {
			continue
		}
		x, err := f.sets.get(a)
		if err != nil {
			return err
		}
		y, err := f.sets.get(b)
		if err != nil {
			return err
		}
		f.groups.Compared++
		if minhash.Jaccard(x, y) >= f.Threshold {
			f.groups.connect(a, b)
		}
	}
	return nil
}

// sets are the shingles of documents, some of them in memory.
type sets struct {
	of   func(document uint32) ([]uint64, error)
	room int64 // bytes of all

	mu    sync.Mutex // while read runs
	known map[uint32][]uint64
	used  int64

	// The last sets that were read again, as there is no room for them.
	last [2]struct {
		document uint32
		set      []uint64
	}
}

// read reads the sets of documents that are to be compared, until there is no room.
func (s *sets) read(ctx context.Context, batch []comparison) error {
	s.known = map[uint32][]uint64{}
	var list []uint32
	for _, c := range batch {
		for _, d := range c.documents {
			if _, ok := s.known[d]; !ok {
				s.known[d], list = nil, append(list, d)
			}
		}
	}
	clear(s.known)
	return parallel(len(list), func(i int) error {
		if err := ctx.Err(); err != nil || s.full() {
			return err
		}
		set, err := s.of(list[i])
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if bytes := int64(cap(set)) * 8; s.used+bytes <= s.room {
			s.known[list[i]], s.used = set, s.used+bytes
		}
		return nil
	})
}

func (s *sets) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used >= s.room
}

// get returns the set of a document, which it reads if it is not in memory.
func (s *sets) get(document uint32) ([]uint64, error) {
	if set, ok := s.known[document]; ok {
		return set, nil
	}
	for i, l := range s.last {
		if l.set != nil && l.document == document {
			s.last[0], s.last[i] = s.last[i], s.last[0]
			return l.set, nil
		}
	}
	set, err := s.of(document)
	s.last[1] = s.last[0]
	s.last[0].document, s.last[0].set = document, set
	return set, err
}

func (s *sets) forget() {
	s.known, s.used = nil, 0
	clear(s.last[:])
}
