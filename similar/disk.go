package similar

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// disk has Save's operations on a folder. Tests replace it by one that fails.
type disk interface {
	// write makes a file that is whole, and is there after a power cut, or leaves what was there.
	write(name string, content func(io.Writer) error) error
	remove(name string) error
}

type realDisk struct{}

// write writes a temporary file next to it, flushes it to the disk, renames it, flushes the folder.
func (realDisk) write(name string, content func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), temporary+"*")
	if err != nil {
		return err
	}
	err = content(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncFolder(filepath.Dir(name))
}

func (realDisk) remove(name string) error { return os.Remove(name) }

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
