package version

import (
	"context"
	"errors"
	"fmt"
)

// Compact makes a shard of another version of the same documents, of fewer shards: it merges each
// shard of from whose number modulo o.Of is o.Shard. The bytes are those that WriteShard gives of
// the documents. o.Of divides the number of shards of from. The cache is for from, and may be nil
// for a Folder. Errors: as Open and as WriteShard.
func Compact(ctx context.Context, to, from Store, o ShardOptions, cache *Cache) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	c := client{from}
	m, err := c.manifest(ctx)
	if err != nil {
		return err
	}
	if len(m.Shards)%o.Of != 0 {
		return fmt.Errorf("version: %s has %d shards, which cannot be merged to %d; want a divisor", from, len(m.Shards), o.Of)
	}
	var shards []int
	for i := o.Shard; i < len(m.Shards); i += o.Of {
		shards = append(shards, i)
	}
	x, err := c.open(ctx, m, shards, cache)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	return WriteShard(ctx, to, x.index, o)
}
