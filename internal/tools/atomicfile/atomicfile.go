// Package atomicfile writes whole files so that a reader, or a run that was interrupted, never sees
// half of one.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes data the contents of the named file: it writes a temporary file next to it and
// renames that. A name that exists and is no regular file (a device, a symbolic link) is written in
// place. An error leaves the file as it was.
func Write(name string, data []byte) error {
	return Stream(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Stream makes the bytes that a function writes the contents of the named file, as Write does. An
// error of the function leaves the file as it was.
func Stream(name string, write func(io.Writer) error) error {
	mode := fs.FileMode(0o644)
	switch info, err := os.Lstat(name); {
	case err == nil && !info.Mode().IsRegular():
		return inPlace(name, write)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}

	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return named(err, name)
	}
	err = write(temp)
	err = errors.Join(err, temp.Chmod(mode), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return named(errors.Join(err, os.Remove(temp.Name())), name)
	}
	return nil
}

// inPlace writes to a name that is no regular file's.
func inPlace(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Ready is an error that Write would begin with: that the name is a folder's, or is in no folder.
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
