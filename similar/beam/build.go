package beam

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/version"
)

var recordType = reflect.TypeFor[Record]()

func init() {
	register.DoFn3x1[context.Context, []byte, func(int, Record), error](&markFn{})
	register.DoFn3x2[context.Context, int, func(*Record) bool, int, error](&buildFn{})
	register.DoFn3x2[context.Context, int, func(*int) bool, []byte, error](&sealFn{})
	register.Iter1[Record]()
	register.Iter1[int]()
}

// Check says what is wrong with options, before a pipeline is made of them.
func (o *Options) Check() error {
	switch {
	case len(o.Sources) == 0:
		return errors.New("similar: no sources; name one")
	case o.Output == "":
		return errors.New("similar: no version to write; name one")
	case o.Shards < 1 || o.Shards > version.MaxShards:
		return fmt.Errorf("similar: %d shards; want 1 to %d", o.Shards, version.MaxShards)
	case o.MaxFile < 0 || o.Memory < 0:
		return fmt.Errorf("similar: records of %d bytes and %d bytes of memory; want 0 or more", o.MaxFile, o.Memory)
	}
	x, err := similar.New(o.Index)
	if err != nil {
		return err
	}
	return errors.Join(x.SetMemory(o.Memory), x.Close())
}

// Build writes the version of documents that Read returned, and seals it. It returns a collection that
// has one element, which is of no bytes, once the version is sealed.
func Build(s beam.Scope, o Options, docs beam.PCollection) beam.PCollection {
	s = s.Scope("similar.Build")
	options, err := json.Marshal(o.Index)
	if err != nil {
		panic(fmt.Sprintf("BUG: options that Check did not check: %v", err))
	}
	marks := beam.ParDo(s, &markFn{o.Shards}, beam.Impulse(s))
	shards := beam.GroupByKey(s, beam.Flatten(s, docs, marks))
	written := beam.ParDo(s, &buildFn{Output: o.Output, Of: o.Shards, Options: options, Memory: o.Memory}, shards)
	return beam.ParDo(s, &sealFn{o.Output}, beam.GroupByKey(s, beam.AddFixedKey(s, written)))
}

// markFn emits a record without an id for each shard, so that shards without documents are written.
type markFn struct{ Shards int }

// ProcessElement emits the marks.
func (f *markFn) ProcessElement(_ context.Context, _ []byte, emit func(int, Record)) error {
	for i := range f.Shards {
		emit(i, Record{})
	}
	return nil
}

// buildFn writes a shard.
type buildFn struct {
	Output  string
	Of      int
	Options []byte // of the index, as JSON
	Memory  int64
}

// ProcessElement writes the shard of the newest of the records of each id, and returns its number.
func (f *buildFn) ProcessElement(ctx context.Context, shard int, records func(*Record) bool) (_ int, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("similar: shard %d/%d: %w", shard, f.Of, err)
		}
	}()
	var o similar.Options
	if err := json.Unmarshal(f.Options, &o); err != nil {
		return 0, err
	}
	x, err := similar.New(o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if err := x.SetMemory(f.Memory); err != nil {
		return 0, err
	}
	x.SetBulk()
	if err := addNewest(ctx, x, records); err != nil {
		return 0, err
	}
	store, done, err := OpenStore(ctx, f.Output)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := version.WriteShard(ctx, store, x, version.ShardOptions{Shard: shard, Of: f.Of}); err != nil {
		return 0, err
	}
	counters.shards.Inc(ctx, 1)
	counters.written.Inc(ctx, int64(x.Len()))
	return shard, nil
}

// Documents are added in batches, so that they are analysed side by side.
const (
	batchDocuments = 1000
	batchBytes     = 8 << 20
)

// addNewest adds the newest record of each id to an index. A record that is newer than the one before
// takes its place.
func addNewest(ctx context.Context, x *similar.Index, records func(*Record) bool) error {
	newest := map[string]place{}
	files := map[string]string{} // one string for each path
	var batch []similar.Document
	size := 0
	for {
		var r Record
		more := records(&r)
		if !more || len(batch) == batchDocuments || size > batchBytes {
			if err := x.Add(ctx, batch...); err != nil {
				return err
			}
			batch, size = batch[:0], 0
		}
		if !more {
			return nil
		}
		if r.ID == "" {
			continue // a mark
		}
		if file, ok := files[r.File]; ok {
			r.File = file
		}
		files[r.File] = r.File
		first, twice := newest[r.ID]
		if twice {
			counters.duplicates.Inc(ctx, 1)
			if r.place().compare(first) <= 0 {
				continue
			}
		}
		newest[r.ID] = r.place()
		batch = append(batch, r.document())
		for name, value := range r.Fields {
			size += len(name) + len(value)
		}
		size += len(r.ID) + len(r.Title) + len(r.Text)
	}
}

// sealFn seals a version.
type sealFn struct{ Output string }

// ProcessElement seals the version when its shards were written.
func (f *sealFn) ProcessElement(ctx context.Context, _ int, _ func(*int) bool) (_ []byte, err error) {
	store, done, err := OpenStore(ctx, f.Output)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return []byte{}, version.Seal(ctx, store)
}
