package version

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/gridstride/gridstride/similar"
)

// Verify reads all files of a version. It compares their hashes, and checks what they hold as
// similar.Verify does, and that it agrees. The cache may be nil for a Folder. Errors: as Open.
func Verify(ctx context.Context, store Store, cache *Cache) error {
	c := client{store}
	m, err := c.manifest(ctx)
	if err != nil {
		return err
	}
	if err := c.verify(ctx, rootTable(m.Table), m.Table); err != nil {
		return err
	}
	var tables []*similar.Table
	for i, s := range m.Shards {
		t, err := c.verifyShard(ctx, m, i, cache)
		if err != nil {
			return err
		}
		if t.Collection().Documents != s.Documents {
			return c.damaged(manifestName, "it says that shard %d has %d documents, and it has %d", i, s.Documents, t.Collection().Documents)
		}
		if tables = append(tables, t); len(tables) == mergedTables || i == len(m.Shards)-1 {
			if t, err = similar.MergeTables(tables...); err != nil {
				return err
			}
			tables = append(tables[:0], t)
		}
	}
	sum := sha256.New()
	if _, err := tables[0].WriteTo(sum); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != m.Table.SHA256 {
		return c.damaged(rootTable(m.Table), "it has other statistics than the documents")
	}
	return nil
}

// verifyShard returns the table of the documents of a shard.
func (c client) verifyShard(ctx context.Context, m *manifest, i int, cache *Cache) (t *similar.Table, err error) {
	if s := m.Shards[i].Segment; s != nil {
		if err := c.verify(ctx, segmentName(i, *s), *s); err != nil {
			return nil, err
		}
	}
	x, err := c.open(ctx, m, []int{i}, cache)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if err := x.index.Verify(ctx); err != nil {
		return nil, fmt.Errorf("version: %s: shard %d: %w", c, i, err)
	}
	for id := range x.index.IDs("") {
		if of := similar.ShardOf(id, len(m.Shards)); of != i {
			return nil, c.damaged(segmentName(i, *m.Shards[i].Segment), "it has the document %q, which belongs to shard %d", id, of)
		}
	}
	return x.index.Table(ctx)
}
