package similarcmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/version"
	"github.com/spf13/pflag"
)

// A Scheme opens the store at an address such as s3://bucket/papers-7, and returns what closes it.
type Scheme func(ctx context.Context, address string) (s version.Store, close func() error, err error)

// Schemes are the stores that a program knows besides folders, by the schemes of their addresses.
type Schemes map[string]Scheme

// places opens versions wherever they lie.
type places struct {
	schemes Schemes
	cache   string // the folder for files of stores, and how much of it may be used
	room    byteSize
}

// usualRoom is how much of the disk the cache may take if nobody says.
const usualRoom = 10_000_000_000

// flags adds the flags of the cache, which folders do not need.
func (p *places) flags(flags *pflag.FlagSet) {
	p.room = usualRoom
	if len(p.schemes) > 0 {
		flags.StringVar(&p.cache, "cache", "", "`folder` for files of versions in object stores (default: the user's cache)")
		flags.Var(&p.room, "cache-size", "most `bytes` in the cache")
	}
}

// A store is a version's store that is open.
type store struct {
	version.Store
	folder bool
	Close  func() error
}

// store opens the store of a version: a folder, the folder of a file URL, or what the address's
// scheme says.
func (p *places) store(ctx context.Context, name string) (*store, error) {
	scheme, _, _ := strings.Cut(name, "://")
	if open := p.schemes[scheme]; open != nil && scheme != name {
		s, closeStore, err := open(ctx, name)
		if err != nil {
			return nil, err
		}
		return &store{s, false, closeStore}, nil
	}
	folder, ok := version.FolderAt(name)
	if !ok {
		return nil, p.unknown(name)
	}
	return &store{folder, true, func() error { return nil }}, nil
}

// unknown is the error of an address that has no store.
func (p *places) unknown(name string) error {
	if len(p.schemes) == 0 {
		return cli.Usagef("%s is no folder; want a path, or file:///path. The command of the module similar/cloud knows object stores", name)
	}
	return cli.Usagef("%s: no store has such an address; want a path, file:///path, or %s", name, strings.Join(slices.Sorted(maps.Keys(p.schemes)), "://, ")+"://")
}

// cacheOf opens the cache for the files of a store, in the user's folder of caches if no flag names
// another one. A folder needs none.
func (p *places) cacheOf(s *store) (*version.Cache, error) {
	if s.folder {
		return nil, nil
	}
	dir := p.cache
	if dir == "" {
		all, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("there is no folder for the cache: %w; name one with -cache", err)
		}
		dir = filepath.Join(all, "similar")
	}
	return version.NewCache(dir, int64(p.room))
}

// version opens a version that is sealed, and closes its store with it.
func (p *places) version(ctx context.Context, place string, o version.Options) (v *version.Version, closeBoth func() error, err error) {
	s, err := p.store(ctx, place)
	if err != nil {
		return nil, nil, err
	}
	if o.Cache, err = p.cacheOf(s); err == nil {
		v, err = version.Open(ctx, s.Store, o)
	}
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return v, func() error { return errors.Join(v.Close(), s.Close()) }, nil
}

// A collection is an open index or version.
type collection struct {
	*similar.Searcher
	generation similar.Generation
	Close      func() error
}

// collection opens an index or a version.
func (p *places) collection(ctx context.Context, name string) (collection, error) {
	if !isVersion(name) {
		x, err := open(ctx, name)
		if err != nil {
			return collection{}, err
		}
		return collection{x.Searcher, x.Generation(), x.Close}, nil
	}
	place, err := placeOf(name)
	if err != nil {
		return collection{}, err
	}
	v, closeBoth, err := p.version(ctx, place, version.Options{})
	if errors.Is(err, version.ErrUnsealed) {
		err = fmt.Errorf("%w with: similar seal %s", err, name)
	}
	if err != nil {
		return collection{}, err
	}
	return collection{v.Searcher, similar.Generation{Number: 1, Stamp: v.Sum()}, closeBoth}, nil
}
