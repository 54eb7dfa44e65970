package version

import (
	"context"
	"io"
	"iter"
	"time"
)

// A Store holds the files of a version: a folder, or a place in an object store. Any number of
// goroutines, processes and machines may use it at once. Package cloud, of another module, has
// stores of S3, GCS and Azure.
//
// Names are of letters, digits, dots and hyphens, with slashes between. The package tries again what
// fails with an error other than fs.ErrExist, fs.ErrNotExist or fs.ErrPermission.
type Store interface {
	// String returns what errors call the store, such as an address without secrets.
	String() string
	// Read reads a file from an offset on, up to length bytes. The error wraps fs.ErrNotExist if there
	// is no such file. The reader may end early with an error.
	Read(ctx context.Context, name string, offset, length int64) (io.ReadCloser, error)
	// Create makes a file of what content writes, which others see whole or not at all. The error
	// wraps fs.ErrExist if there is such a file, which stays. Of several calls at once one makes it.
	// The error of content is returned, and there is no file then.
	Create(ctx context.Context, name string, content func(io.Writer) error) error
	// List yields the files whose names begin with a prefix, in any order. A file that was made
	// before the call is among them.
	List(ctx context.Context, prefix string) iter.Seq2[File, error]
	// Delete removes a file. The error wraps fs.ErrNotExist if there is none.
	Delete(ctx context.Context, name string) error
}

// A File is a file of a store.
type File struct {
	Name     string
	Size     int64
	Modified time.Time // by the clock of the store
}

// local is a store whose files are files of this machine.
type local interface {
	path(name string) string
}
