package beam

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/gridstride/gridstride/similar/cloud"
	"github.com/gridstride/gridstride/similar/version"
)

// OpenStore opens the store of a version: the path of a folder, a file:///path, or an address of an
// object store whose driver the program imports, as cloud.Open has it. Close it with done.
func OpenStore(ctx context.Context, address string) (store version.Store, done func() error, err error) {
	if folder, ok := version.FolderAt(address); ok {
		return folder, func() error { return nil }, nil
	}
	if strings.HasPrefix(strings.ToLower(address), "file:") {
		return nil, nil, fmt.Errorf("similar: %s names no folder; want file:///path", address)
	}
	c, err := cloud.Open(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	return c, c.Close, nil
}

// ErrExists is the error of a file that is to be written, and is there with other bytes.
var ErrExists = errors.New("there is another file of this name")

// splitFile returns the address of the store that a file is in, and the file's name there.
func splitFile(address string) (store, name string, err error) {
	if strings.Contains(address, "://") {
		u, err := url.Parse(address)
		if err != nil {
			return "", "", fmt.Errorf("similar: %w", err)
		}
		u.Path, name = path.Split(u.Path)
		u.RawPath = ""
		store = u.String()
	} else {
		store, name = filepath.Split(address)
	}
	if name == "." || !fs.ValidPath(name) {
		return "", "", fmt.Errorf("similar: %q names no file", address)
	}
	return store, name, nil
}

// createFile makes a file at an address. A file that is there stays: the error wraps ErrExists if it
// has other bytes.
func createFile(ctx context.Context, address string, content func(io.Writer) error) (err error) {
	at, name, err := splitFile(address)
	if err != nil {
		return err
	}
	store, done, err := OpenStore(ctx, at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err = store.Create(ctx, name, content); errors.Is(err, fs.ErrExist) {
		err = compareFile(ctx, store, name, content)
	}
	if err != nil {
		return fmt.Errorf("similar: %s: %w", path.Join(store.String(), name), err)
	}
	return nil
}

// mostBytes is more than a file has.
const mostBytes = 1 << 60

// compareFile returns ErrExists if a file is not what content writes.
func compareFile(ctx context.Context, store version.Store, name string, content func(io.Writer) error) error {
	r, err := store.Read(ctx, name, 0, mostBytes)
	if err != nil {
		return err
	}
	defer r.Close()
	b := bufio.NewReader(r)
	if err := content(comparer{b}); err != nil {
		return err
	}
	switch _, err := b.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return ErrExists
	default:
		return err
	}
}

// A comparer takes the bytes that it reads, and no others.
type comparer struct{ r io.Reader }

func (c comparer) Write(p []byte) (int, error) {
	there := make([]byte, len(p))
	switch n, err := io.ReadFull(c.r, there); {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return 0, err
	case !bytes.Equal(there[:n], p):
		return 0, ErrExists
	}
	return len(p), nil
}
