// Package atomicfile writes whole files so that a reader, or a run that was interrupted, never sees
// half of one.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes data the contents of the named file: it writes a temporary file beside it and renames
// that. A name that exists and is no regular file (a device, a symbolic link) is written in place.
// An error leaves the file as it was.
func Write(name string, data []byte) error {
	mode := fs.FileMode(0o644)
	switch info, err := os.Lstat(name); {
	case err == nil && !info.Mode().IsRegular():
		return os.WriteFile(name, data, mode)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}

	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return named(err, name)
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(mode), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return named(errors.Join(err, os.Remove(temp.Name())), name)
	}
	return nil
}

// Ready is an error that Write would begin with: that the name is a folder's, or lies in no folder.
// It is for those who have long work to do before they write.
func Ready(name string) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return &fs.PathError{Op: "write", Path: name, Err: errors.New("is a folder")}
	}
	dir := filepath.Dir(name)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return &fs.PathError{Op: "write", Path: name, Err: fmt.Errorf("there is no folder %s", dir)}
	}
	return nil
}

// named is err said of the file that the caller knows, not of the temporary one.
func named(err error, name string) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "write", Path: name, Err: path.Err}
	}
	return err
}
