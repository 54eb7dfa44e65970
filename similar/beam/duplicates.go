package beam

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/duplicates"
	"github.com/gridstride/gridstride/similar/minhash"
	"github.com/gridstride/gridstride/similar/version"
)

func init() {
	register.DoFn3x1[context.Context, []byte, func(int), error](&partsFn{})
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&findFn{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(int, []byte), error](&mergeFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&writeFn{})
	register.Emitter1[int]()
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// DuplicateOptions say which near-duplicates are found, and where their groups are written. Zeros
// stand for the defaults of package duplicates.
type DuplicateOptions struct {
	// Version is the version, as Options.Output.
	Version string
	// Output is the file of the groups: a path, or an address such as s3://bucket/groups.jsonl. A
	// file that is there with the same bytes stays, and one with others is an error.
	Output string
	// Parts is how many elements the work has, 1 to the number of bands. Each reads the whole version.
	Parts     int
	MinHash   minhash.Options
	Threshold float64 // as duplicates.Options.Threshold
	Memory    int64   // as duplicates.Options.Memory, of each worker
	// Cache is the folder of each worker for files of a version in an object store, and CacheBytes
	// bounds it. By default it is in os.TempDir, and as large as the disk.
	Cache      string
	CacheBytes int64
}

// find are the options of a part.
func (o *DuplicateOptions) find(part int) duplicates.Options {
	return duplicates.Options{MinHash: o.MinHash, Threshold: o.Threshold, Memory: o.Memory, Part: part, Parts: o.Parts}
}

// Check says what is wrong with options, before a pipeline is made of them.
func (o *DuplicateOptions) Check() error {
	if o.Parts < 1 || o.CacheBytes < 0 {
		return fmt.Errorf("similar: %d parts and %d bytes of a cache; want 1 or more, and 0 or more", o.Parts, o.CacheBytes)
	}
	_, _, notFile := splitFile(o.Output)
	_, notMinHash := minhash.New(o.MinHash.Resolved())
	_, err := duplicates.Merge(context.Background(), 0, func(func([]int, error) bool) {}, o.find(0))
	return errors.Join(notFile, notMinHash, err)
}

// Duplicates writes the groups of near-duplicates of a version: the file that similar duplicates
// writes, byte for byte. The version is sealed once sealed, which Build returns, has its element.
//
// Each part of the bands of package minhash is an element. Its worker finds the groups by these bands,
// which make a forest. The forests are merged after two shuffles. Of the square root of their number
// each worker makes one, which has a link for each document at most, and the last worker merges
// these (S. Lattanzi, B. Moseley, S. Suri and S. Vassilvitskii, Filtering: A Method for Solving Graph
// Problems in MapReduce, 2011).
func Duplicates(s beam.Scope, o DuplicateOptions, sealed beam.PCollection) {
	s = s.Scope("similar.Duplicates")
	parts := beam.Reshuffle(s, beam.ParDo(s, &partsFn{o.Parts}, sealed))
	forests := beam.ParDo(s, &findFn{o}, parts)
	fewer := beam.ParDo(s, &mergeFn{}, beam.GroupByKey(s, forests))
	beam.ParDo0(s, &writeFn{o}, beam.GroupByKey(s, fewer))
}

// partsFn emits the numbers of the parts.
type partsFn struct{ Parts int }

// ProcessElement emits the numbers.
func (f *partsFn) ProcessElement(_ context.Context, _ []byte, emit func(int)) error {
	for part := range f.Parts {
		emit(part)
	}
	return nil
}

// The part that a process works on holds turn. A part uses all processors, and memory for each
// document of the version.
var turn = make(chan struct{}, 1)

// findFn finds the groups by a part of the bands.
type findFn struct{ Options DuplicateOptions }

// ProcessElement emits the forest of a part for the first merge.
func (f *findFn) ProcessElement(ctx context.Context, part int, emit func(int, []byte)) (err error) {
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	list, done, err := f.Options.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	groups, err := duplicates.Find(ctx, list, f.Options.find(part))
	if err != nil {
		return err
	}
	counters.compared.Inc(ctx, groups.Compared)
	counters.cut.Inc(ctx, int64(groups.Cut))
	atOnce := int(math.Ceil(math.Sqrt(float64(f.Options.Parts))))
	emitForest(groups, func(b []byte) { emit(part/atOnce, b) })
	counters.parts.Inc(ctx, 1)
	return nil
}

// open opens the version.
func (o *DuplicateOptions) open(ctx context.Context) (list *similar.Listing, done func() error, err error) {
	store, done, err := OpenStore(ctx, o.Version)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, done())
		}
	}()
	var open version.Options
	if _, local := store.(version.Folder); !local {
		dir, most := o.Cache, o.CacheBytes
		if dir == "" {
			dir = filepath.Join(os.TempDir(), "similarbeam")
		}
		if most == 0 {
			most = math.MaxInt64
		}
		if open.Cache, err = version.NewCache(dir, most); err != nil {
			return nil, nil, err
		}
	}
	v, err := version.Open(ctx, store, open)
	if err != nil {
		return nil, nil, err
	}
	closeStore := done
	done = func() error { return errors.Join(v.Close(), closeStore()) }
	list, err = v.List(ctx)
	return list, done, err
}
