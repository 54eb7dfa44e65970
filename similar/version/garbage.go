package version

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// Garbage returns the files of a version that jobs left which were killed, sorted by name: the
// files that no manifest names, of names that this package gives, and that were written at least so
// long ago, by the clock of the store. Jobs that run may have files that no manifest names yet: age
// must be longer than a job takes. Remove removes them.
//
// With broken, a version that is not sealed is garbage with all of its shards.
//
// Errors: similar.ErrDamaged for a manifest, and the errors of the store and of ctx.
func Garbage(ctx context.Context, store Store, age time.Duration, broken bool) ([]File, error) {
	if age < 0 {
		return nil, fmt.Errorf("version: an age of %v; want 0 or more", age)
	}
	c := client{store}
	files, err := c.list(ctx, "") // before the manifests, so that what they name is not taken for garbage
	if err != nil || len(files) == 0 {
		return nil, err
	}
	now, err := c.now(ctx)
	if err != nil {
		return nil, err
	}
	named, err := c.namedFiles(ctx, broken)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f File) bool {
		ours := written.MatchString(f.Name) || broken && shardManifests.MatchString(f.Name)
		return !ours || named[f.Name] || now.Sub(f.Modified) < age
	})
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

// Remove removes files of a store, such as those that Garbage found, manifests first.
func Remove(ctx context.Context, store Store, files []File) error {
	c := client{store}
	for _, manifests := range []bool{true, false} {
		for _, f := range files {
			if strings.HasSuffix(f.Name, manifestName) != manifests {
				continue
			}
			if err := c.remove(ctx, f.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// now returns the time by the clock of the store, which may be another than ours.
func (c client) now(ctx context.Context) (time.Time, error) {
	name := clockFile + rand.Text()
	if err := c.create(ctx, name, strings.NewReader("now\n")); err != nil && !errors.Is(err, fs.ErrExist) {
		return time.Time{}, err
	}
	files, err := c.list(ctx, name)
	if err = errors.Join(err, c.remove(ctx, name)); err != nil {
		return time.Time{}, err
	}
	if len(files) == 0 {
		return time.Time{}, fmt.Errorf("version: %s: a file that was written is not listed", c)
	}
	return files[0].Modified, nil
}

// namedFiles returns the names of the files that manifests name, and of the manifests.
func (c client) namedFiles(ctx context.Context, broken bool) (map[string]bool, error) {
	named := map[string]bool{manifestName: true}
	m := new(manifest)
	err := c.readManifest(ctx, manifestName, m)
	sealed := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	shards, err := c.shardManifests(ctx)
	if err != nil || !sealed && broken {
		return named, err
	}
	if sealed {
		named[rootTable(m.Table)] = true
	}
	for _, i := range slices.Sorted(maps.Keys(shards)) {
		s, err := c.shard(ctx, i)
		if err != nil {
			return nil, err
		}
		named[shardManifest(i)], named[shardTable(i, s.Table)] = true, true
		if s.Segment != nil {
			named[segmentName(i, *s.Segment)] = true
		}
	}
	for i, s := range m.Shards {
		if s.Segment != nil {
			named[segmentName(i, *s.Segment)] = true
		}
	}
	return named, nil
}
