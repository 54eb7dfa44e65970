package version

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/gridstride/gridstride/similar"
)

// format is the version of the format of manifests.
const format = 1

// maxManifest is the most bytes of a manifest, which may hold a fixed vocabulary, too.
const maxManifest = 1 << 28

// A manifest is the contents of the file of that name, as JSON. It is in canonical form, so that two
// that say the same are the same bytes.
type manifest struct {
	Format    int             `json:"format"`
	Documents int64           `json:"documents"`
	Options   json.RawMessage `json:"options"`
	Table     hashed          `json:"table"`
	Shards    []shardEntry    `json:"shards"`
	Sum       string          `json:"sum"` // the SHA-256 of the manifest with "" in its place
}

// A shardEntry describes a shard in the manifest. Segment is nil if it has no documents.
type shardEntry struct {
	Documents int64   `json:"documents"`
	Segment   *hashed `json:"segment,omitempty"`
}

// A shard is the contents of the manifest of a shard.
type shard struct {
	Format  int             `json:"format"`
	Shard   int             `json:"shard"`
	Of      int             `json:"of"`
	Options json.RawMessage `json:"options"`
	shardEntry
	Table hashed `json:"table"`
	Sum   string `json:"sum"`
}

// A sealed is a manifest with a checksum.
type sealed interface {
	sum() *string
	check() error
}

func (m *manifest) sum() *string { return &m.Sum }
func (s *shard) sum() *string    { return &s.Sum }

// encode returns the bytes of a manifest, and fills in its checksum.
func encode(m sealed) ([]byte, error) {
	*m.sum() = ""
	b, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	h := sha256.Sum256(b)
	*m.sum() = hex.EncodeToString(h[:])
	if b, err = json.Marshal(m); err == nil && len(b) > maxManifest {
		err = fmt.Errorf("version: a manifest of %d bytes, and at most %d are possible; use a smaller vocabulary", len(b), maxManifest)
	}
	return b, err
}

// decode reads the bytes of a manifest, which may be anything.
func decode(b []byte, m sealed) error {
	var first struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(b, &first); err != nil {
		return err
	}
	if first.Format > format {
		return fmt.Errorf("%w: format %d, and this program reads %d", similar.ErrNewer, first.Format, format)
	}
	if err := json.Unmarshal(b, m); err != nil {
		return err
	}
	said := *m.sum()
	if again, err := encode(m); err != nil || !bytes.Equal(again, b) || *m.sum() != said {
		return errors.New("its checksum is another")
	}
	return m.check()
}

// check returns what is wrong in a manifest. Names of files are made of hashes and numbers,
// so that none is outside of the version.
func (m *manifest) check() error {
	if n := len(m.Shards); m.Format != format || n < 1 || n > MaxShards || m.Documents < 0 {
		return fmt.Errorf("it is of format %d, %d shards and %d documents", m.Format, n, m.Documents)
	}
	all, segments := int64(0), map[string]bool{}
	for i, s := range m.Shards {
		if err := s.check(); err != nil {
			return fmt.Errorf("shard %d: %w", i, err)
		}
		if s.Segment != nil && segments[s.Segment.SHA256] {
			return fmt.Errorf("shard %d has the documents of another one", i)
		} else if s.Segment != nil {
			segments[s.Segment.SHA256] = true
		}
		if all += s.Documents; all < 0 {
			return errors.New("its shards have too many documents")
		}
	}
	if all != m.Documents {
		return fmt.Errorf("it says %d documents, and its shards have %d", m.Documents, all)
	}
	return m.Table.check()
}

func (e *shardEntry) check() error {
	if e.Documents < 0 || (e.Documents == 0) != (e.Segment == nil) {
		return fmt.Errorf("it has %d documents, and a segment: %t", e.Documents, e.Segment != nil)
	}
	if e.Segment != nil {
		return e.Segment.check()
	}
	return nil
}

func (s *shard) check() error {
	if s.Format != format || s.Of < 1 || s.Of > MaxShards || s.Shard < 0 || s.Shard >= s.Of {
		return fmt.Errorf("it is of format %d, and shard %d of %d", s.Format, s.Shard, s.Of)
	}
	if err := s.shardEntry.check(); err != nil {
		return err
	}
	return s.Table.check()
}

func (m *manifest) options() (o similar.Options, err error) {
	err = json.Unmarshal(m.Options, &o)
	return o, err
}

// ErrUnsealed is the error of a version that Seal has not sealed, and that has shards.
var ErrUnsealed = errors.New("the version is not sealed")

// manifest reads the manifest of a version.
func (c client) manifest(ctx context.Context) (*manifest, error) {
	m := new(manifest)
	err := c.readManifest(ctx, manifestName, m)
	if errors.Is(err, fs.ErrNotExist) {
		shards, listed := c.shardManifests(ctx)
		switch {
		case listed != nil:
			return nil, listed
		case len(shards) > 0:
			return nil, fmt.Errorf("version: %s: %w; it has shards, %d of them: seal it", c, ErrUnsealed, len(shards))
		}
		return nil, fmt.Errorf("version: %s: there is no version: %w", c, fs.ErrNotExist)
	}
	return m, err
}

// shard reads the manifest of a shard.
func (c client) shard(ctx context.Context, i int) (*shard, error) {
	s := new(shard)
	err := c.readManifest(ctx, shardManifest(i), s)
	if err == nil && s.Shard != i {
		err = c.damaged(shardManifest(i), "it is of shard %d", s.Shard)
	}
	return s, err
}

func (c client) readManifest(ctx context.Context, name string, m sealed) error {
	b, err := c.small(ctx, name)
	if err != nil {
		return err
	}
	if err := decode(b, m); errors.Is(err, similar.ErrNewer) {
		return fmt.Errorf("version: %s/%s: %w; use a newer program", c, name, err)
	} else if err != nil {
		return c.damaged(name, "%v", err)
	}
	return nil
}

// shardManifests returns the shards that have a manifest.
func (c client) shardManifests(ctx context.Context) (map[int]bool, error) {
	files, err := c.list(ctx, "shard-")
	shards := map[int]bool{}
	for _, f := range files {
		if of := shardManifests.FindStringSubmatch(f.Name); of != nil {
			n, _ := strconv.Atoi(of[1]) // of five digits
			shards[n] = true
		}
	}
	return shards, err
}

// ErrConflict is the error of a job that would write other bytes than a version has. Documents,
// options or the number of shards are different. The version stays as it is.
var ErrConflict = errors.New("the version has another one")

// keepManifest writes a manifest, unless the same one is there.
func (c client) keepManifest(ctx context.Context, name string, m sealed) error {
	if there, err := c.has(ctx, name, m); err != nil || there {
		return err
	}
	b, err := encode(m)
	if err != nil {
		return err
	}
	if err = c.create(ctx, name, bytes.NewReader(b)); errors.Is(err, fs.ErrExist) { // another job has written it since
		_, err = c.has(ctx, name, m)
	}
	return err
}

// has reports whether the version has a manifest. The error wraps ErrConflict if it has another one
// of this name.
func (c client) has(ctx context.Context, name string, m sealed) (bool, error) {
	b, err := encode(m)
	if err != nil {
		return false, err
	}
	old, err := c.small(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case bytes.Equal(old, b):
		return true, nil
	}
	var other sealed = new(manifest)
	if _, ok := m.(*shard); ok {
		other = new(shard)
	}
	switch err := decode(old, other); {
	case errors.Is(err, similar.ErrNewer):
		return false, c.named(name, err)
	case err == nil:
		return false, fmt.Errorf("version: %s/%s: %w: other documents or options gave it; write to another version", c, name, ErrConflict)
	}
	return false, c.damaged(name, "it is no manifest")
}
