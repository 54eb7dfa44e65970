package similarcmd

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"github.com/gridstride/gridstride/internal/tools/atomicfile"
	"github.com/gridstride/gridstride/similar"
)

// checkpointEnd is how the name of a file's checkpoint ends. The checkpoint is there from the first
// byte of the file on until the file is whole.
const checkpointEnd = ".resume"

// maxCheckpoint bounds the bytes of a checkpoint that are read. An id is most of it.
const maxCheckpoint = 64 << 20

// checkpointEvery is how long a run writes from one checkpoint to the next. A run that is killed
// loses no more.
const checkpointEvery = 2 * time.Second

// A checkpoint says of a file of pairs how much of it is there, and what made it. Only with it a
// later run goes on, and only where file, index and options are those that it names.
type checkpoint struct {
	Writer     string // checkpointWriter
	Generation similar.Generation
	K          int
	Threshold  float64
	Part       string `json:",omitempty"` // I/N; empty for all
	After      []byte // the id of the last document whose pairs are among the bytes
	Bytes      int64
	SHA256     []byte // of the bytes
}

const checkpointWriter = "similar pairs 1"

// A ledger is a file of pairs that keeps a checkpoint.
type ledger struct {
	file *os.File
	at   checkpoint
	sum  hash.Hash // of the bytes written
	size int64     // of the bytes written
	due  time.Time // of the next checkpoint
	lock *flock.Flock
}

// begin makes the file, which must not be there yet.
func begin(name string, at checkpoint) (*ledger, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, errThere(name)
	}
	if err != nil {
		return nil, err
	}
	l := &ledger{file: f, at: at, sum: sha256.New(), due: time.Now().Add(checkpointEvery)}
	if err = l.own(); err == nil {
		err = l.mark(nil)
	}
	if err != nil {
		return nil, errors.Join(err, l.release(), os.Remove(name))
	}
	return l, nil
}

func errThere(name string) error {
	return fmt.Errorf("%s: there is a file already; remove it, or write to another", name)
}

// resume opens a file that an earlier run left, cut to the bytes of its checkpoint. It changes
// nothing where the checkpoint is not of this file, index and options.
func resume(name string, want checkpoint) (*ledger, error) {
	at, err := readCheckpoint(name)
	if err != nil {
		return nil, err
	}
	if err := at.differs(want); err != nil {
		return nil, fmt.Errorf("%s: cannot go on: %w; write to another file", name, err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	l := &ledger{file: f, at: at, sum: sha256.New(), size: at.Bytes, due: time.Now().Add(checkpointEvery)}
	if err = l.own(); err == nil {
		err = l.rewind()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), l.release())
	}
	return l, nil
}

// readCheckpoint reads the checkpoint of a file.
func readCheckpoint(name string) (at checkpoint, err error) {
	for _, file := range []string{name, name + checkpointEnd} {
		info, err := os.Lstat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && file != name:
			return at, fmt.Errorf("%s: nothing to go on with: there is no %s, so the file is whole, or something else wrote it", name, file)
		case err != nil:
			return at, err
		case !info.Mode().IsRegular():
			return at, fmt.Errorf("%s: cannot go on: it is no regular file", file)
		}
	}
	f, err := os.Open(name + checkpointEnd)
	if err != nil {
		return at, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxCheckpoint+1))
	if err == nil && len(text) > maxCheckpoint {
		err = fmt.Errorf("more than %d bytes", maxCheckpoint)
	}
	if err == nil {
		err = json.Unmarshal(text, &at)
	}
	if err == nil && (at.Writer != checkpointWriter || at.Bytes < 0) {
		err = fmt.Errorf("its writer is %q; want %q", at.Writer, checkpointWriter)
	}
	if err != nil {
		return at, fmt.Errorf("%s%s: no checkpoint of similar pairs: %w", name, checkpointEnd, err)
	}
	return at, nil
}

// differs is an error where a run with other options, or of another index, wrote a checkpoint.
func (at checkpoint) differs(want checkpoint) error {
	switch {
	case at.Generation != want.Generation:
		return errors.New("the index is another one, or has changed since")
	case at.K != want.K:
		return fmt.Errorf("it was begun with -n %d, and this is -n %d", at.K, want.K)
	case at.Threshold != want.Threshold:
		return fmt.Errorf("it was begun with -threshold %v, and this is -threshold %v", at.Threshold, want.Threshold)
	case at.Part != want.Part:
		return fmt.Errorf("it was begun with -part %q, and this is -part %q", at.Part, want.Part)
	}
	return nil
}

// own keeps other runs away from the file. Windows has no lock that leaves the file writable.
func (l *ledger) own() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	l.lock = flock.New(l.file.Name(), flock.SetFlag(os.O_RDWR))
	switch ok, err := l.lock.TryLock(); {
	case err != nil:
		return err
	case !ok:
		return errors.New("another run is writing it")
	}
	return nil
}

// rewind cuts the file to the bytes of its checkpoint, if they are as they were written.
func (l *ledger) rewind() error {
	n, err := io.CopyN(l.sum, l.file, l.at.Bytes)
	switch {
	case err == io.EOF:
		return fmt.Errorf("cannot go on: it has %d bytes, and its checkpoint is of %d", n, l.at.Bytes)
	case err != nil:
		return err
	case !bytes.Equal(l.sum.Sum(nil), l.at.SHA256):
		return fmt.Errorf("cannot go on: its first %d bytes were changed since they were written", l.at.Bytes)
	}
	return l.file.Truncate(l.at.Bytes)
}

// Write implements io.Writer.
func (l *ledger) Write(p []byte) (int, error) {
	n, err := l.file.Write(p)
	l.sum.Write(p[:n])
	l.size += int64(n)
	return n, err
}

// mark makes a checkpoint: all pairs up to a document's have been written.
func (l *ledger) mark(after []byte) error {
	if err := l.file.Sync(); err != nil {
		return err
	}
	l.at.After, l.at.Bytes, l.at.SHA256 = after, l.size, l.sum.Sum(nil)
	text, err := json.Marshal(l.at)
	if err == nil {
		err = atomicfile.Write(l.file.Name()+checkpointEnd, text)
	}
	l.due = time.Now().Add(checkpointEvery)
	return err
}

// end closes the file. One that is whole needs no checkpoint any more.
func (l *ledger) end(whole bool) error {
	err := l.release()
	if whole && err == nil {
		err = os.Remove(l.file.Name() + checkpointEnd)
	}
	return err
}

func (l *ledger) release() error {
	err := l.file.Close()
	if l.lock != nil {
		err = errors.Join(err, l.lock.Close())
	}
	return err
}
