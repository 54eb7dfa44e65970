package version

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// A client uses a store, and tries again what fails.
type client struct{ Store }

// tries is how often something is tried. The first time to wait is firstWait, and each further one is
// twice as long.
const (
	tries     = 6
	firstWait = 20 * time.Millisecond
)

// errContent is the error of a file whose content cannot be read.
var errContent = errors.New("the content of a file")

// final reports whether trying again is of no use.
func final(err error) bool {
	return errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errContent)
}

// again calls do until it succeeds, fails for good, or has failed so often without progress: do
// reports whether it has come further.
func again(ctx context.Context, do func() (further bool, err error)) error {
	wait := firstWait
	for failed := 1; ; failed++ {
		further, err := do()
		if err == nil || final(err) {
			return err
		}
		if further {
			failed, wait = 1, firstWait
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if failed == tries {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
		wait *= 2
	}
}

func (c client) named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("version: %s/%s: %w", c, name, err)
}

func (c client) damaged(name, format string, args ...any) error {
	return fmt.Errorf("version: %s/%s: %w: %s; delete it and run its job again", c, name, similar.ErrDamaged, fmt.Sprintf(format, args...))
}

// errShort is the error of a file that ends before its size.
var errShort = errors.New("the file ends early")

// read writes length bytes of a file to w, from an offset on. Where the store breaks off, it goes
// on from there.
func (c client) read(ctx context.Context, name string, offset, length int64, w io.Writer) error {
	var wrong error // of w
	err := again(ctx, func() (bool, error) {
		r, err := c.Read(ctx, name, offset, length)
		if err != nil {
			return false, err
		}
		defer r.Close()
		n, err := io.Copy(noted{w, &wrong}, io.LimitReader(r, length))
		offset, length = offset+n, length-n
		if wrong != nil || length == 0 {
			return false, nil // hashes compare what has come
		}
		if err == nil {
			err = errShort
		}
		return n > 0, err
	})
	if wrong != nil {
		return wrong
	}
	if errors.Is(err, errShort) {
		return c.damaged(name, "%d bytes are missing", length)
	}
	return c.named(name, err)
}

// noted is a writer that notes its first error.
type noted struct {
	w   io.Writer
	err *error
}

func (n noted) Write(b []byte) (int, error) {
	done, err := n.w.Write(b)
	if err != nil && *n.err == nil {
		*n.err = err
	}
	return done, err
}

// small reads all of a file that is no longer than a manifest.
func (c client) small(ctx context.Context, name string) (b []byte, err error) {
	size, err := c.size(ctx, name)
	if err != nil {
		return nil, err
	}
	if size > maxManifest {
		return nil, c.damaged(name, "it has %d bytes, and at most %d are possible", size, maxManifest)
	}
	var all appender
	if err := c.read(ctx, name, 0, size, &all); err != nil {
		return nil, err
	}
	return all, nil
}

type appender []byte

func (a *appender) Write(b []byte) (int, error) { *a = append(*a, b...); return len(b), nil }

// size returns the size of a file. The error wraps fs.ErrNotExist if there is none.
func (c client) size(ctx context.Context, name string) (int64, error) {
	files, err := c.list(ctx, name)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		if f.Name == name {
			return f.Size, nil
		}
	}
	return 0, c.named(name, fs.ErrNotExist)
}

// list returns the files whose names begin with a prefix.
func (c client) list(ctx context.Context, prefix string) (files []File, err error) {
	err = again(ctx, func() (bool, error) {
		files = files[:0]
		for f, err := range c.List(ctx, prefix) {
			if err != nil {
				return false, err
			}
			files = append(files, f)
		}
		return false, nil
	})
	if err != nil {
		return nil, fmt.Errorf("version: listing %s: %w", c, err)
	}
	return files, nil
}

// create makes a file of what is read from the beginning of content.
func (c client) create(ctx context.Context, name string, content io.ReadSeeker) error {
	var wrong error // of content
	err := again(ctx, func() (bool, error) {
		err := c.Create(ctx, name, func(w io.Writer) error {
			if _, wrong = content.Seek(0, io.SeekStart); wrong != nil {
				return wrong
			}
			_, err := io.Copy(w, notedReader{content, &wrong})
			return err
		})
		if wrong != nil {
			return false, errContent
		}
		return false, err
	})
	if wrong != nil {
		return wrong
	}
	return c.named(name, err)
}

type notedReader struct {
	r   io.Reader
	err *error
}

func (n notedReader) Read(b []byte) (int, error) {
	done, err := n.r.Read(b)
	if err != nil && err != io.EOF && *n.err == nil {
		*n.err = err
	}
	return done, err
}

// keep writes a file that is named by its hash, unless the same one is there. A damaged one is
// replaced: its name says what it has to be.
func (c client) keep(ctx context.Context, name string, of hashed, content io.ReadSeeker) error {
	err := c.create(ctx, name, content)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err = c.verify(ctx, name, of); err == nil || !errors.Is(err, similar.ErrDamaged) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := c.remove(ctx, name); err != nil {
		return err
	}
	if err = c.create(ctx, name, content); errors.Is(err, fs.ErrExist) {
		return c.verify(ctx, name, of) // another job has written it since
	}
	return err
}

// remove deletes a file if it is there.
func (c client) remove(ctx context.Context, name string) error {
	err := again(ctx, func() (bool, error) { return false, c.Delete(ctx, name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return c.named(name, err)
}

// present returns an error if a file is not there, or has another size.
func (c client) present(ctx context.Context, name string, of hashed) error {
	size, err := c.size(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.damaged(name, "its manifest names it, and it is not there")
	case err == nil && size != of.Bytes:
		return c.damaged(name, "it has %d bytes, and its manifest says %d", size, of.Bytes)
	}
	return err
}

// verify reads all of a file, and compares its hash.
func (c client) verify(ctx context.Context, name string, of hashed) error {
	if err := c.present(ctx, name, of); err != nil {
		return err
	}
	sum := sha256.New()
	if err := c.read(ctx, name, 0, of.Bytes, sum); err != nil {
		return err
	}
	return c.compare(name, of, sum.Sum(nil))
}

func (c client) compare(name string, of hashed, sum []byte) error {
	if got := hex.EncodeToString(sum); got != of.SHA256 {
		return c.damaged(name, "its hash is %s", got)
	}
	return nil
}

// table reads a table.
func (c client) table(ctx context.Context, name string, of hashed) (*similar.Table, error) {
	if err := c.present(ctx, name, of); err != nil {
		return nil, err
	}
	in, out := io.Pipe()
	sum := sha256.New()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { out.CloseWithError(c.read(ctx, name, 0, of.Bytes, io.MultiWriter(sum, out))) }()
	t, err := similar.ReadTable(in)
	rest, failed := io.Copy(io.Discard, in) // nothing but the error of the store, or the end
	stop()
	switch {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, c.damaged(name, "%v", err)
	case rest > 0:
		return nil, c.damaged(name, "%d bytes follow the table", rest)
	}
	return t, c.compare(name, of, sum.Sum(nil))
}
