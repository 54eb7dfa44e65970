// Package version keeps a collection of documents as a version: shards that jobs build by themselves,
// one table of statistics, and a manifest that is written last. A version is in a folder or in an
// object store, and never changes.
//
//	store := version.Folder("/data/papers-7")
//	err := version.WriteShard(ctx, store, x, version.ShardOptions{Shard: 3, Of: 64}) // in 64 jobs
//	err = version.Seal(ctx, store)                                                   // in one, then
//	v, err := version.Open(ctx, store, version.Options{})
//	hits, err := v.Search(ctx, similar.Query{Text: "priority queue"})
//
// Shard i of n has the documents that [similar.ShardOf] gives it. The files of a version are
//
//	manifest                      of the version; names all files of its shards
//	HASH.table                    the statistics of all documents
//	shard-00003/manifest          of a shard; names its files
//	shard-00003/HASH.segment      its documents, as similar.Index.WriteSegment writes them
//	shard-00003/HASH.table        their statistics
//
// where HASH is the SHA-256 of the file's bytes. All of it depends on the documents, the options
// and the number of shards alone. So a job may run any number of times, be killed at any time, and
// run at the same time as another one of the same shard: it writes the same bytes. Each file is
// there whole or not at all. A manifest is never replaced: what would write another one gets
// [ErrConflict]. Files that no manifest names are the rest of killed jobs. [Garbage] finds them.
package version

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/gridstride/gridstride/similar"
)

// Options say how a version is opened.
type Options struct {
	// Shards are the numbers of the shards to open, all where nil.
	Shards []int
	// Cache keeps the files of a store that is no folder of this machine. It may be nil for a Folder.
	Cache *Cache
}

// A Version is an open version, or some of its shards. Its searches have the statistics of all
// documents: a document has the same score whichever shards are open. All shards together answer as
// one index of all documents does, bit for bit. Any number of goroutines may use it at once.
type Version struct {
	*similar.Searcher
	opened
	documents int64
	of        int
	sum       string
}

// Open opens a version that was sealed. It fetches the files of the shards which the cache does not
// have, and maps them into memory.
//
// Errors: fs.ErrNotExist if there is no version, ErrUnsealed, similar.ErrDamaged, similar.ErrNewer,
// ErrCacheFull, and the errors of the store and of ctx.
func Open(ctx context.Context, store Store, o Options) (*Version, error) {
	c := client{store}
	m, err := c.manifest(ctx)
	if err != nil {
		return nil, err
	}
	table, err := c.table(ctx, rootTable(m.Table), m.Table)
	if err != nil {
		return nil, err
	}
	of := len(m.Shards)
	shards := o.Shards
	if shards == nil {
		for i := range of {
			shards = append(shards, i)
		}
	}
	var docs int64
	for i, shard := range shards {
		if shard < 0 || shard >= of || slices.Contains(shards[:i], shard) {
			return nil, fmt.Errorf("version: %s: shard %d of %d, or it is named twice", store, shard, of)
		}
		docs += m.Shards[shard].Documents
	}
	x, err := c.open(ctx, m, shards, o.Cache)
	if err != nil {
		return nil, err
	}
	v := &Version{opened: x, documents: m.Documents, of: of, sum: m.Sum}
	if v.Searcher, err = x.index.With(table); err == nil && (int64(v.Len()) != docs || table.Collection().Documents != m.Documents) {
		err = c.damaged(manifestName, "it says that the shards have %d of %d documents, and they have %d of %d", docs, m.Documents, v.Len(), table.Collection().Documents)
	}
	if errors.Is(err, similar.ErrOptions) {
		err = c.damaged(rootTable(m.Table), "it is of other options than the manifest says")
	}
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// Documents returns how many documents all shards have, also those that are not open.
func (v *Version) Documents() int64 { return v.documents }

// Of returns how many shards the version has.
func (v *Version) Of() int { return v.of }

// Sum returns the SHA-256 of what the version holds, in hexadecimal. Two versions with the same sum
// are the same.
func (v *Version) Sum() string { return v.sum }

// opened is an index of the files of shards. The cache keeps them while it is open.
type opened struct {
	index *similar.Index
	held  []*held
}

// Close closes the version. Searches that run end as they would have.
func (o *opened) Close() error {
	var err error
	if o.index != nil {
		err = o.index.Close()
	}
	for _, h := range o.held {
		err = errors.Join(err, h.release())
	}
	o.held = nil
	return err
}

// open opens shards as one index.
func (c client) open(ctx context.Context, m *manifest, shards []int, cache *Cache) (opened, error) {
	o := opened{}
	options, err := m.options()
	if err != nil {
		return o, c.damaged(manifestName, "its options are wrong: %v", err)
	}
	var files []string
	for _, shard := range shards {
		if m.Shards[shard].Segment == nil {
			continue
		}
		h, err := c.segment(ctx, m, options, shard, cache)
		if err != nil {
			return o, errors.Join(err, o.Close())
		}
		o.held, files = append(o.held, h), append(files, h.path)
	}
	if o.index, err = similar.OpenSegments(ctx, options, files...); err != nil {
		return o, errors.Join(fmt.Errorf("version: %s: %w", c, err), o.Close())
	}
	return o, nil
}

// segment returns the segment of a shard that has one. A file of the cache that is damaged is fetched
// once more.
func (c client) segment(ctx context.Context, m *manifest, o similar.Options, shard int, cache *Cache) (*held, error) {
	entry := m.Shards[shard]
	name := segmentName(shard, *entry.Segment)
	for first := true; ; first = false {
		h, err := c.hold(ctx, name, *entry.Segment, cache)
		if err != nil {
			return nil, err
		}
		x, err := similar.OpenSegments(ctx, o, h.path)
		if err == nil {
			if n := int64(x.Len()); n != entry.Documents {
				err = c.damaged(name, "it has %d documents, and the manifest says %d", n, entry.Documents)
			}
			err = errors.Join(err, x.Close())
		}
		if err == nil {
			return h, nil
		}
		again := first && h.lock != nil && errors.Is(err, similar.ErrDamaged) && os.Remove(h.path) == nil
		if err = errors.Join(err, h.release()); !again {
			return nil, fmt.Errorf("version: %s: %w", c, err)
		}
	}
}
