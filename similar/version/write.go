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
// Errors: ErrConflict where the version has another shard of this number, another number of shards, or other options;
// similar.ErrClosed, similar.ErrDamaged, and the errors of the store, of the temporary file and of ctx.
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
	if s.Documents = table.Collection().Documents; s.Documents > 0 {
		if s.Segment, err = c.writeSegment(ctx, x, s, o); err != nil {
			return err
		}
	}
	s.Table, err = c.keepWritten(ctx, o.Temp, func(h hashed) string { return shardTable(o.Shard, h) }, func(w io.Writer) error {
		_, err := table.WriteTo(w)
		return err
	})
	if err != nil {
		return err
	}
	return c.keepManifest(ctx, shardManifest(o.Shard), s)
}

func (c client) writeSegment(ctx context.Context, x *similar.Index, s *shard, o ShardOptions) (*hashed, error) {
	h, err := c.keepWritten(ctx, o.Temp, func(h hashed) string { return segmentName(o.Shard, h) }, func(w io.Writer) error {
		n, err := x.WriteSegment(ctx, w)
		if err == nil && int64(n) != s.Documents {
			err = errors.New("version: the index has changed while it was written")
		}
		return err
	})
	return &h, err
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

// keepWritten keeps a file of the bytes that write writes. Its name has their hash.
func (c client) keepWritten(ctx context.Context, temp string, name func(hashed) string, write func(io.Writer) error) (h hashed, err error) {
	f, err := os.CreateTemp(temp, "similar-shard-*")
	if err != nil {
		return h, fmt.Errorf("version: %w", err)
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if runtime.GOOS == "windows" {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if runtime.GOOS != "windows" { // a process that is killed leaves nothing
		if err := os.Remove(f.Name()); err != nil {
			return h, fmt.Errorf("version: %w", err)
		}
	}
	sum := sha256.New()
	if err := write(io.MultiWriter(f, sum)); err != nil {
		return h, err
	}
	h.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if h.Bytes, err = f.Seek(0, io.SeekCurrent); err != nil {
		return h, err
	}
	return h, c.keep(ctx, name(h), h, f)
}
