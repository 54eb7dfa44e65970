// Package cloud keeps versions of package version in object stores, by gocloud.dev/blob: S3 and
// what is compatible with it, Google Cloud Storage, Azure, and others. It is a separate module, so
// that only its users' go.mod has what it needs. The program that opens a store imports the store's
// driver:
//
//	import _ "gocloud.dev/blob/s3blob"
//
//	store, err := cloud.Open(ctx, "s3://bucket/papers-7?region=eu-central-1")
//	defer store.Close()
//	v, err := version.Open(ctx, store, version.Options{Cache: cache})
//
// The drivers take credentials from where their libraries do, such as AWS_ACCESS_KEY_ID, files in the
// home folder, or the machine's role.
package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/gridstride/gridstride/similar/version"
)

// A Store is a store in a bucket, or below a prefix in it. Any number of goroutines may use it at
// once.
type Store struct {
	name   string
	bucket *blob.Bucket
}

var _ version.Store = (*Store)(nil)

// Open opens the store with an address such as s3://bucket/prefix?region=eu-central-1, gs://bucket/prefix,
// azblob://container/prefix or mem://. The driver's package says what may follow the question mark. The
// error is the driver's, or says that no driver of the scheme is imported.
func Open(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("cloud: %w", err)
	}
	name := *u
	name.RawQuery, name.User = "", nil
	prefix := ""
	if u.Scheme != "file" && u.Scheme != "mem" {
		prefix = strings.Trim(u.Path, "/")
		u.Path, u.RawPath = "", ""
	}
	bucket, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("cloud: %s: %w", &name, err)
	}
	if prefix != "" {
		bucket = blob.PrefixedBucket(bucket, prefix+"/")
	}
	return New(name.String(), bucket), nil
}

// New returns the store in a bucket that is open. Errors call it by the name. Close closes the bucket.
func New(name string, bucket *blob.Bucket) *Store { return &Store{name, bucket} }

// Close closes the bucket.
func (s *Store) Close() error { return s.bucket.Close() }

// String returns the address, without the query and without a password.
func (s *Store) String() string { return s.name }

// explained returns an error as version.Store has it.
func explained(err error) error {
	switch gcerrors.Code(err) {
	case gcerrors.NotFound:
		return errors.Join(fs.ErrNotExist, err)
	case gcerrors.FailedPrecondition, gcerrors.AlreadyExists:
		return errors.Join(fs.ErrExist, err)
	case gcerrors.PermissionDenied:
		return errors.Join(fs.ErrPermission, err)
	}
	return err
}

// Read implements version.Store.
func (s *Store) Read(ctx context.Context, name string, offset, length int64) (io.ReadCloser, error) {
	r, err := s.bucket.NewRangeReader(ctx, name, offset, length, nil)
	if err != nil {
		return nil, explained(err)
	}
	return r, nil
}

// Create implements version.Store.
func (s *Store) Create(ctx context.Context, name string, content func(io.Writer) error) error {
	if there, err := s.bucket.Exists(ctx, name); err != nil || there {
		if err == nil {
			err = fmt.Errorf("%s: %w", name, fs.ErrExist) // and nothing is sent
		}
		return explained(err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w, err := s.bucket.NewWriter(ctx, name, &blob.WriterOptions{ContentType: "application/octet-stream", IfNotExist: true})
	if err != nil {
		return explained(err)
	}
	if err := content(w); err != nil {
		stop() // so that Close makes no file
		return errors.Join(explained(err), ignored(w.Close()))
	}
	return explained(w.Close())
}

// ignored drops the error of an end that was asked for.
func ignored(error) error { return nil }

// List implements version.Store.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[version.File, error] {
	return func(yield func(version.File, error) bool) {
		for list := s.bucket.List(&blob.ListOptions{Prefix: prefix}); ; {
			o, err := list.Next(ctx)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(version.File{}, explained(err))
				return
			}
			if !yield(version.File{Name: o.Key, Size: o.Size, Modified: o.ModTime}, nil) {
				return
			}
		}
	}
}

// Delete implements version.Store.
func (s *Store) Delete(ctx context.Context, name string) error {
	return explained(s.bucket.Delete(ctx, name))
}
