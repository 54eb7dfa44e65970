// Package duplicates finds groups of documents that are nearly the same, in a collection of any size.
//
//	list, err := x.List(ctx) // of an index, of shards or of a version
//	groups, err := duplicates.Find(ctx, list, duplicates.Options{})
//	for group, err := range groups.All(ctx) {
//		fmt.Println(list.ID(group[0]), "and", len(group)-1, "more")
//	}
//
// Documents are candidates if they share a key of package minhash. Of candidates the coefficient of
// Jaccard is computed, and those that reach the threshold are connected. A group is all documents that
// connections lead to: its first and its last one may be less alike. So the groups are exact except
// for pairs that share no key: of pairs with a coefficient of 0.8 one in 440 shares none, of 0.9 one in
// two million. Such a pair is in one group nevertheless if other documents connect it.
//
// The groups depend on the documents and the options alone, and not on segments, shards, processors
// or memory.
//
// # Memory
//
// Find needs 4 bytes a document, 4 bytes for each document of the largest set that shares a key, and
// Options.Memory. What does not fit is sorted in a temporary file of 12 bytes a document and band:
// 240 bytes a document. A [similar.Listing] needs 8 bytes a document. Each processor has a document
// in memory, with 8 bytes for each of its shingles.
//
// # Parts
//
// Jobs share the bands. Part i of n finds the groups by its bands, and [Merge] of all of them has
// the groups of the whole. Each job reads all documents.
package duplicates

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/extsort"
	"github.com/gridstride/gridstride/similar/minhash"
)

// Documents are a collection by numbers, such as a [similar.Listing]. Several goroutines use it at
// once.
type Documents interface {
	Len() int
	Document(i int) (similar.Document, error) // document i, 0 to Len()-1
}

// Options say what near-duplicates are, and what may be used to find them.
type Options struct {
	MinHash   minhash.Options
	Threshold float64 // the least coefficient of Jaccard of two documents that are connected; 0.8 where 0, 1 at most

	// Part and Parts ask for the groups by some of the bands alone, part Part of Parts, from 0.
	// There are as many parts as bands at most. 0 Parts, or 1, are all bands.
	Part, Parts int

	Memory int64       // bytes to sort and compare in; 256 MiB where 0, and 1 MiB at least
	Dir    string      // the folder of temporary files; os.TempDir where empty
	Read   func(n int) // is told how many documents more were read, one call at a time; may be nil
}

const (
	usualThreshold = 0.8
	usualMemory    = 256 << 20
	leastMemory    = 1 << 20
)

// resolved returns the options with the defaults in the place of zeros, or what is wrong with them.
func (o Options) resolved(documents int) (Options, error) {
	if o.Threshold == 0 {
		o.Threshold = usualThreshold
	}
	if o.Memory == 0 {
		o.Memory = usualMemory
	}
	o.MinHash = o.MinHash.Resolved()
	switch {
	case !(o.Threshold > 0 && o.Threshold <= 1):
		return o, fmt.Errorf("duplicates: the threshold is %v; want more than 0, and 1 at most", o.Threshold)
	case o.Memory < 0:
		return o, fmt.Errorf("duplicates: %d bytes of memory; want 0 or more", o.Memory)
	case o.Parts < 0 || o.Parts > max(o.MinHash.Bands, 1):
		return o, fmt.Errorf("duplicates: %d parts of %d bands; want as many parts as bands at most", o.Parts, o.MinHash.Bands)
	case o.Part < 0 || o.Part >= max(o.Parts, 1):
		return o, fmt.Errorf("duplicates: part %d of %d; parts count from 0", o.Part, max(o.Parts, 1))
	case int64(documents) > math.MaxUint32:
		return o, fmt.Errorf("duplicates: %d documents; want 2^32-1 at most", documents)
	}
	o.Memory = max(o.Memory, leastMemory)
	return o, nil
}

// bands are the bands of the part.
func (o *Options) bands() (from, to int) {
	parts := max(o.Parts, 1)
	return o.Part * o.MinHash.Bands / parts, (o.Part + 1) * o.MinHash.Bands / parts
}

// Text returns what of a document is compared: its title, if it has one, and its text.
func Text(d *similar.Document) string {
	if d.Title == "" {
		return d.Text
	}
	return d.Title + "\n" + d.Text
}

// A finder is one run of Find.
type finder struct {
	Options
	documents Documents
	hasher    *minhash.Hasher
	groups    *Groups
	sets      sets
	batch     []comparison // that wait
	waiting   int          // documents of them
}

// Find finds the groups of near-duplicates. All processors read documents.
//
// Of more than Window documents that share a key, each is compared with the Window before it alone, by
// their numbers: Groups.Cut counts these sets.
//
// Errors: options out of their limits, the errors of documents and of the temporary file, and ctx's.
func Find(ctx context.Context, documents Documents, o Options) (*Groups, error) {
	o, err := o.resolved(documents.Len())
	if err != nil {
		return nil, err
	}
	f := &finder{Options: o, documents: documents, groups: newGroups(documents.Len(), o)}
	if f.hasher, err = minhash.New(o.MinHash); err != nil {
		return nil, err
	}
	f.sets = sets{of: f.shingles, room: o.Memory / 4}
	sorter := extsort.New(o.Dir, o.Memory-o.Memory/4)
	defer sorter.Close()
	if err := f.hash(ctx, sorter); err != nil {
		return nil, fmt.Errorf("duplicates: %w", err)
	}
	if err := f.compareAll(ctx, sorter); err != nil {
		return nil, fmt.Errorf("duplicates: %w", err)
	}
	return f.groups.flatten(), nil
}

// readAtOnce is how many documents in a row a goroutine reads.
const readAtOnce = 64

// hash gives the sorter the keys of all documents.
func (f *finder) hash(ctx context.Context, sorter *extsort.Sorter) error {
	from, to := f.bands()
	var mu sync.Mutex // of the sorter, and of Read
	n := f.documents.Len()
	return parallel((n+readAtOnce-1)/readAtOnce, func(chunk int) error {
		first := chunk * readAtOnce
		end := min(first+readAtOnce, n)
		var records []extsort.Record
		var keys []uint64
		for i := first; i < end; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			d, err := f.documents.Document(i)
			if err != nil {
				return err
			}
			keys = f.hasher.KeysOf(keys[:0], Text(&d), from, to)
			for _, key := range keys {
				records = append(records, extsort.Record{Key: key, Value: uint32(i)})
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if f.Read != nil {
			f.Read(end - first)
		}
		return sorter.Add(records...)
	})
}

// shingles reads the shingles of a document.
func (f *finder) shingles(i uint32) ([]uint64, error) {
	d, err := f.documents.Document(int(i))
	if err != nil {
		return nil, err
	}
	return f.hasher.Shingles(Text(&d)), nil
}

// parallel calls work with 0 to n-1, by as many goroutines as there are processors, until one of the
// calls returns an error.
func parallel(n int, work func(i int) error) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	var once sync.Once
	var fault error
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := work(i); err != nil {
					once.Do(func() { fault = err })
					next.Store(int64(n))
					return
				}
			}
		})
	}
	workers.Wait()
	return fault
}
