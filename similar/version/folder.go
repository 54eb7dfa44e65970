package version

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Folder is the store in a folder, which it makes with the first file. Several machines may share
// it, by NFS for one: where the file system has hard links, one of several writers of a name wins.
type Folder string

// writing begins the name of a file that is not whole yet.
const writing = ".writing-"

// String returns the path of the folder.
func (f Folder) String() string { return string(f) }

func (f Folder) path(name string) string {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		panic(fmt.Sprintf("BUG: the file %q", name))
	}
	return filepath.Join(string(f), filepath.FromSlash(name))
}

// Read implements Store.
func (f Folder) Read(_ context.Context, name string, offset, length int64) (io.ReadCloser, error) {
	file, err := os.Open(f.path(name))
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(file, length), file}, nil
}

// Create implements Store. The bytes and the name are on the disk when it returns.
func (f Folder) Create(ctx context.Context, name string, content func(io.Writer) error) (err error) {
	at := f.path(name)
	dir := filepath.Dir(at)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(at); err == nil {
		return &fs.PathError{Op: "create", Path: at, Err: fs.ErrExist}
	}
	temp, err := os.CreateTemp(dir, writing+"*")
	if err != nil {
		return err
	}
	defer func() {
		if removed := os.Remove(temp.Name()); err == nil && !errors.Is(removed, fs.ErrNotExist) {
			err = removed
		}
	}()
	if err = content(temp); err == nil {
		err = cmp.Or(temp.Sync(), temp.Chmod(0o644), ctx.Err())
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := publish(temp.Name(), at); err != nil {
		return err
	}
	return errors.Join(syncFolder(dir), syncFolder(string(f)))
}

// publish gives a file its name, unless there is a file of this name.
func publish(temp, name string) error {
	err := os.Link(temp, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// The file system has no hard links. Of two writers at once the later one's file stays then.
	if _, err := os.Lstat(name); err == nil {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	return os.Rename(temp, name)
}

// syncFolder makes the names in a folder last. Windows cannot, and keeps them by itself.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// List implements Store.
func (f Folder) List(ctx context.Context, prefix string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		err := filepath.WalkDir(string(f), func(p string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // removed since its folder was read, or the folder is not there yet
			}
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			rel, err := filepath.Rel(string(f), p)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(rel)
			if d.IsDir() {
				if name != "." && !strings.HasPrefix(name+"/", prefix) && !strings.HasPrefix(prefix, name+"/") {
					return fs.SkipDir
				}
				return nil
			}
			if !strings.HasPrefix(name, prefix) {
				return nil
			}
			info, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			if !yield(File{name, info.Size(), info.ModTime()}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(File{}, err)
		}
	}
}

// Delete implements Store.
func (f Folder) Delete(_ context.Context, name string) error { return os.Remove(f.path(name)) }

// FolderAt returns the folder at an address: a path, or a URL file:///path. It reports false for
// any other address.
func FolderAt(address string) (Folder, bool) {
	if !strings.Contains(address, "://") {
		return Folder(address), true
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "file" || u.Host != "" || u.Path == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", false
	}
	p := filepath.FromSlash(u.Path)
	if drive := p[1:]; filepath.VolumeName(drive) != "" {
		p = drive // of Windows: file:///C:/path
	}
	return Folder(p), true
}
