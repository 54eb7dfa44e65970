package version

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/gridstride/gridstride/similar"
)

// ShardOptions say which shard is written.
type ShardOptions struct {
	Shard, Of int    // Shard is 0 to Of-1, and Of is 1 to MaxShards
	Temp      string // the folder for temporary files; os.TempDir if empty
}

func (o ShardOptions) check() error {
	if o.Of < 1 || o.Of > MaxShards || o.Shard < 0 || o.Shard >= o.Of {
		return fmt.Errorf("version: shard %d of %d; want 0 to %d of up to %d", o.Shard, o.Of, max(0, min(o.Of, MaxShards)-1), MaxShards)
	}
	return nil
}

// WriteShard writes the documents of an index as a shard of a version, its manifest last. They are the
// shard's own, as similar.ShardOf says, and do not change meanwhile. The same shard may be there:
// nothing is written then.
//
// Errors: ErrConflict where the version has another shard of this number, another number of shards,
// or other options; similar.ErrClosed, similar.ErrDamaged, and the errors of the store, of the
// temporary file and of ctx.
func WriteShard(ctx context.Context, store Store, x *similar.Index, o ShardOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	c := client{store}
	options, err := json.Marshal(x.Options())
	if err != nil {
		return fmt.Errorf("version: the options of an index: %w", err)
	}
	s := &shard{Format: format, Shard: o.Shard, Of: o.Of, Options: options}
	if err := c.fits(ctx, s); err != nil {
		return err
	}
	for id := range x.IDs("") {
		if of := similar.ShardOf(id, o.Of); of != o.Shard {
			return fmt.Errorf("version: the document %q belongs to shard %d of %d, and this is shard %d", id, of, o.Of, o.Shard)
		}
	}
	table, err := x.Table(ctx)
	if err != nil {
		return err
	}
	var segment *temporary
	if s.Documents = table.Collection().Documents; s.Documents > 0 {
		if segment, err = temporaryOf(o.Temp, func(w io.Writer) error { return writeAll(ctx, x, s, w) }); err != nil {
			return err
		}
		defer segment.close()
		s.Segment = &segment.hashed
	}
	statistics, err := temporaryOf(o.Temp, func(w io.Writer) error { _, err := table.WriteTo(w); return err })
	if err != nil {
		return err
	}
	defer statistics.close()
	s.Table = statistics.hashed
	return c.keepShard(ctx, s, segment, statistics)
}

// writeAll writes the segment of a shard.
func writeAll(ctx context.Context, x *similar.Index, s *shard, w io.Writer) error {
	n, err := x.WriteSegment(ctx, w)
	if err == nil && int64(n) != s.Documents {
		err = errors.New("version: the index has changed while it was written")
	}
	return err
}

// keepShard writes the files of a shard, unless the version has another one.
func (c client) keepShard(ctx context.Context, s *shard, segment, table *temporary) error {
	name := shardManifest(s.Shard)
	if _, err := c.has(ctx, name, s); err != nil {
		return err
	}
	if segment != nil {
		if err := c.keep(ctx, segmentName(s.Shard, segment.hashed), segment.hashed, segment.file); err != nil {
			return err
		}
	}
	if err := c.keep(ctx, shardTable(s.Shard, table.hashed), table.hashed, table.file); err != nil {
		return err
	}
	return c.keepManifest(ctx, name, s)
}

// fits returns an error if a shard does not belong to what a version has.
func (c client) fits(ctx context.Context, s *shard) error {
	conflict := func(what string, a, b int) error {
		return fmt.Errorf("version: %s: %w: it is of %d shards, and this is of %d, or other options; write to another version", c, ErrConflict, a, b)
	}
	m := new(manifest)
	err := c.readManifest(ctx, manifestName, m)
	if err == nil {
		if len(m.Shards) != s.Of || string(m.Options) != string(s.Options) {
			return conflict(manifestName, len(m.Shards), s.Of)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	shards, err := c.shardManifests(ctx)
	if err != nil {
		return err
	}
	for i := range shards {
		if i == s.Shard {
			continue // keepManifest compares it
		}
		other, err := c.shard(ctx, i)
		if err != nil {
			return err
		}
		if other.Of != s.Of || string(other.Options) != string(s.Options) {
			return conflict(shardManifest(i), other.Of, s.Of)
		}
		return nil // it was compared with the others
	}
	return nil
}

// A temporary is a file of this machine that is to be written to a store.
type temporary struct {
	hashed
	file *os.File
}

// temporaryOf returns a file with the bytes that write writes.
func temporaryOf(dir string, write func(io.Writer) error) (t *temporary, err error) {
	t = new(temporary)
	if t.file, err = os.CreateTemp(dir, "similar-shard-*"); err != nil {
		return nil, fmt.Errorf("version: %w", err)
	}
	if runtime.GOOS != "windows" { // a process that is killed leaves nothing
		_ = os.Remove(t.file.Name()) // close tries again
	}
	sum := sha256.New()
	if err = write(io.MultiWriter(t.file, sum)); err == nil {
		t.SHA256 = hex.EncodeToString(sum.Sum(nil))
		t.Bytes, err = t.file.Seek(0, io.SeekCurrent)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *temporary) close() {
	_ = t.file.Close() // it was read
	_ = os.Remove(t.file.Name())
}
