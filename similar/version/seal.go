package version

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/gridstride/gridstride/similar"
)

// An IncompleteError is the error of a version that has not all of its shards.
type IncompleteError struct {
	Store   string
	Missing []int // the shards without a manifest, rising
	Of      int   // how many there are in all; 0 if there is none
}

func (e *IncompleteError) Error() string {
	if e.Of == 0 {
		return fmt.Sprintf("version: %s: there is no shard; write shards first", e.Store)
	}
	if len(e.Missing) == 1 {
		return fmt.Sprintf("version: %s: shard %d of %d is missing; write it, and seal again", e.Store, e.Missing[0], e.Of)
	}
	return fmt.Sprintf("version: %s: shards %s of %d are missing; write these, and seal again", e.Store, ranges(e.Missing), e.Of)
}

// ranges is a list of rising numbers for people, such as "3, 7 to 9".
func ranges(list []int) string {
	var b strings.Builder
	for i := 0; i < len(list); {
		end := i
		for end+1 < len(list) && list[end+1] == list[end]+1 {
			end++
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > 200 {
			fmt.Fprintf(&b, "and %d more", len(list)-i)
			break
		}
		if fmt.Fprint(&b, list[i]); end > i {
			fmt.Fprintf(&b, " to %d", list[end])
		}
		i = end + 1
	}
	return b.String()
}

// Seal checks that all shards of a version are there, merges their tables, and writes the table of
// all and then the manifest. A version that is sealed may be sealed again.
//
// Errors: *IncompleteError, ErrConflict where shards are of different numbers of shards or options, or
// where another manifest is there, similar.ErrDamaged, and the errors of the store and of ctx.
func Seal(ctx context.Context, store Store) error {
	c := client{store}
	shards, err := c.all(ctx)
	if err != nil {
		return err
	}
	m := &manifest{Format: format, Options: shards[0].Options}
	var table *similar.Table
	var some []*similar.Table
	for i, s := range shards {
		if s.Segment != nil {
			if err := c.present(ctx, segmentName(i, *s.Segment), *s.Segment); err != nil {
				return err
			}
		}
		t, err := c.table(ctx, shardTable(i, s.Table), s.Table)
		if err != nil {
			return err
		}
		if t.Collection().Documents != s.Documents {
			return c.damaged(shardManifest(i), "it says %d documents, and its table %d", s.Documents, t.Collection().Documents)
		}
		if some = append(some, t); len(some) == mergedTables || i == len(shards)-1 {
			if table, err = similar.MergeTables(some...); err != nil {
				return fmt.Errorf("version: %s: shards up to %d: %w: %w", c, i, ErrConflict, err)
			}
			some = append(some[:0], table)
		}
		if m.Documents += s.Documents; m.Documents < 0 {
			return fmt.Errorf("version: %s: the shards up to %d have too many documents", c, i)
		}
		m.Shards = append(m.Shards, s.shardEntry)
	}
	all, err := temporaryOf("", func(w io.Writer) error { _, err := table.WriteTo(w); return err })
	if err != nil {
		return err
	}
	defer all.close()
	m.Table = all.hashed
	if _, err := c.has(ctx, manifestName, m); err != nil {
		return err
	}
	if err := c.keep(ctx, rootTable(m.Table), m.Table, all.file); err != nil {
		return err
	}
	return c.keepManifest(ctx, manifestName, m)
}

// mergedTables is how many tables are in memory at once.
const mergedTables = 8

// all reads the manifests of all shards, which are of one version.
func (c client) all(ctx context.Context) ([]*shard, error) {
	there, err := c.shardManifests(ctx)
	if err != nil {
		return nil, err
	}
	incomplete := &IncompleteError{Store: c.String()}
	var list []*shard
	for i := range MaxShards {
		switch {
		case there[i]:
			s, err := c.shard(ctx, i)
			if err != nil {
				return nil, err
			}
			if incomplete.Of == 0 {
				incomplete.Of = s.Of
			}
			if first := append(list, s)[0]; s.Of != first.Of || string(s.Options) != string(first.Options) {
				return nil, fmt.Errorf("version: %s: %w: shard %d is of %d shards, and shard %d of %d, or their options are different", c, ErrConflict, s.Shard, s.Of, first.Shard, first.Of)
			}
			list = append(list, s)
		case incomplete.Of == 0 || i < incomplete.Of:
			incomplete.Missing = append(incomplete.Missing, i)
		}
		delete(there, i)
		if len(there) == 0 && i+1 >= incomplete.Of {
			break
		}
	}
	if incomplete.Of == 0 || len(incomplete.Missing) > 0 {
		return nil, incomplete
	}
	return list, nil
}
