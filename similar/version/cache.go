package version

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// A Cache keeps files of versions in a folder of this machine, from which versions map them into
// memory. Any number of processes may use the folder at once. New files take the place of the files
// that were not used for the longest time. A file of an open version stays.
type Cache struct {
	dir  string
	most int64
}

// ErrCacheFull is the error of a cache that has no room for a file of a version.
var ErrCacheFull = errors.New("the cache is full")

// NewCache returns the cache in a folder, which is made if it is not there. Its files have most bytes
// together.
func NewCache(dir string, most int64) (*Cache, error) {
	if most < 1 {
		return nil, fmt.Errorf("version: a cache of %d bytes; want 1 or more", most)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("version: %w", err)
	}
	return &Cache{dir, most}, nil
}

// The endings of files of a cache, after the hash: of one that is whole, of one that is being fetched,
// and of the lock that its users hold.
const (
	fetchingEnd = ".fetching"
	usedEnd     = ".lock"
	roomLock    = "lock" // of the whole cache
)

// lockEvery is how often a lock is tried that another process has.
const lockEvery = 20 * time.Millisecond

// held is a file of this machine that nobody removes until release.
type held struct {
	path string
	lock *flock.Flock // nil for a file of a folder's
}

func (h *held) release() error {
	if h.lock == nil {
		return nil
	}
	return h.lock.Unlock()
}

// hold returns a file of this machine with what a file of the store holds.
func (c client) hold(ctx context.Context, name string, of hashed, cache *Cache) (*held, error) {
	if at, ok := c.Store.(local); ok {
		if err := c.present(ctx, name, of); err != nil {
			return nil, err
		}
		return &held{path: at.path(name)}, nil
	}
	if cache == nil {
		return nil, fmt.Errorf("version: %s is no folder of this machine; give a cache", c)
	}
	base := filepath.Join(cache.dir, of.SHA256)
	for {
		lock, err := cache.take(ctx, of.SHA256, (*flock.Flock).TryRLock)
		if err != nil {
			return nil, err
		}
		h := &held{base + segmentEnd, lock}
		if hasSize(h.path, of.Bytes) {
			now := time.Now()
			_ = os.Chtimes(h.path, now, now) // only the choice of what is removed first depends on it
			return h, nil
		}
		if err := errors.Join(h.release(), c.fetch(ctx, name, of, cache)); err != nil {
			return nil, err
		}
	}
}

// take takes the lock of a file. A process takes and removes the locks of files while it has locked
// the cache.
func (c *Cache) take(ctx context.Context, hash string, try func(*flock.Flock) (bool, error)) (lock *flock.Flock, err error) {
	for {
		unlock, err := c.lock(ctx)
		if err != nil {
			return nil, err
		}
		lock := flock.New(filepath.Join(c.dir, hash+usedEnd))
		ok, err := try(lock)
		if err = errors.Join(err, unlock()); ok && err == nil {
			return lock, nil
		}
		if err = errors.Join(err, lock.Close()); err != nil {
			return nil, fmt.Errorf("version: the cache's lock: %w", err)
		}
		select {
		case <-time.After(lockEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// lock locks the cache for a moment.
func (c *Cache) lock(ctx context.Context) (unlock func() error, err error) {
	lock := flock.New(filepath.Join(c.dir, roomLock))
	if ok, err := lock.TryLockContext(ctx, lockEvery); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("version: the cache's lock: %w", cmp.Or(err, ctx.Err())), lock.Close())
	}
	return lock.Unlock, nil
}

func hasSize(path string, n int64) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == n
}

// fetch makes a file of the cache, unless another process has made it.
func (c client) fetch(ctx context.Context, name string, of hashed, cache *Cache) (err error) {
	base := filepath.Join(cache.dir, of.SHA256)
	lock, err := cache.take(ctx, of.SHA256, (*flock.Flock).TryLock)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if hasSize(base+segmentEnd, of.Bytes) {
		return nil
	}
	if err := c.present(ctx, name, of); err != nil {
		return err
	}
	f, err := cache.reserve(ctx, of)
	if err != nil {
		return err
	}
	if err = c.readParts(ctx, name, of, f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), base+segmentEnd)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// A file is fetched in parts of partBytes, partsAt of them at a time.
const (
	partBytes = 8 << 20
	partsAt   = 4
)

// readParts reads a file of the store into one of this machine, and compares its hash.
func (c client) readParts(ctx context.Context, name string, of hashed, f *os.File) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var running sync.WaitGroup
	next := make(chan int64)
	for range partsAt {
		running.Go(func() {
			for at := range next {
				if err := c.read(ctx, name, at, min(partBytes, of.Bytes-at), io.NewOffsetWriter(f, at)); err != nil {
					stop(err)
				}
			}
		})
	}
	for at := int64(0); at < of.Bytes && ctx.Err() == nil; at += partBytes {
		next <- at
	}
	close(next)
	running.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, of.Bytes)); err != nil {
		return fmt.Errorf("version: the cache: %w", err)
	}
	return c.compare(name, of, sum.Sum(nil))
}

// reserve makes room for a file, and returns the file, which takes it. The caller has locked the file.
func (c *Cache) reserve(ctx context.Context, of hashed) (f *os.File, err error) {
	unlock, err := c.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	name := filepath.Join(c.dir, of.SHA256+fetchingEnd)
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("version: %w", err)
	}
	if err := c.makeRoom(of.Bytes); err != nil {
		return nil, err
	}
	if f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		return nil, fmt.Errorf("version: %w", err)
	}
	if err := f.Truncate(of.Bytes); err != nil {
		return nil, errors.Join(fmt.Errorf("version: %w", err), f.Close(), os.Remove(name))
	}
	return f, nil
}

// makeRoom removes files until the number of bytes more is within the bound.
func (c *Cache) makeRoom(bytes int64) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return fmt.Errorf("version: %w", err)
	}
	var files []fs.FileInfo
	have := int64(0)
	for _, e := range entries {
		base, end, _ := strings.Cut(e.Name(), ".")
		info, err := e.Info()
		if err != nil || !hash.MatchString(base) || "."+end != segmentEnd && "."+end != fetchingEnd {
			continue
		}
		files, have = append(files, info), have+info.Size()
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if have <= c.most-bytes {
			break
		}
		if c.evict(f.Name()) {
			have -= f.Size()
		}
	}
	if have > c.most-bytes {
		return fmt.Errorf("version: %s: %w: a file of %d bytes is to be fetched, %d are in use, and the bound is %d; raise it, or close versions", c.dir, ErrCacheFull, bytes, have, c.most)
	}
	return nil
}

// evict removes a file that nobody uses, and its lock, and reports whether it did. The caller has
// locked the cache.
func (c *Cache) evict(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	lock := flock.New(filepath.Join(c.dir, base+usedEnd))
	defer lock.Close()
	if ok, err := lock.TryLock(); err != nil || !ok {
		return false
	}
	if os.Remove(filepath.Join(c.dir, name)) != nil {
		return false
	}
	_ = os.Remove(lock.Path()) // empty, and in nobody's way
	return true
}
