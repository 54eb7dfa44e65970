// Package shown hands launches of a program to the command that has started it, to be debugged there. The
// program writes an image of the launch into a folder of the command's, and waits until the command has
// removed it.
//
//	shown  the launch, and the folder
//	code   a launch as bytes
package shown

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// Launch is a launch that a program shows.
type Launch struct {
	Kernel string // its name for people
	From   string // the line of the host that launches
	Why    string // why there is no image, "" if there is one
	Image  *sim.Image
	// Missing are the bytes of the memory that nothing has written.
	Missing []Range
}

// Range is a range of addresses.
type Range struct{ Addr, N uint64 }

// Of is a launch as a program shows it, with the machine's own memory.
func Of(m *sim.Machine, e *sim.Entry, l sim.Launch, init *initcheck.Init, kernel, from string) *Launch {
	s := &Launch{Kernel: kernel, From: from, Image: &sim.Image{}}
	image, err := m.Image(e, l)
	if err != nil {
		s.Why = err.Error()
		return s
	}
	s.Image = image
	for _, b := range image.Memory {
		init.EachMissing(b.Addr, int64(len(b.Bytes)), func(at uint64) {
			if last := len(s.Missing) - 1; last >= 0 && s.Missing[last].Addr+s.Missing[last].N == at {
				s.Missing[last].N++
			} else {
				s.Missing = append(s.Missing, Range{at, 1})
			}
		})
	}
	return s
}

// Init says which memory nothing had written at the launch, for the checks.
func (s *Launch) Init() *initcheck.Init {
	init := &initcheck.Init{}
	for _, r := range s.Missing {
		init.Fresh(r.Addr, int64(r.N))
	}
	return init
}

// lookEvery is how often each side looks for what the other has done.
const lookEvery = 20 * time.Millisecond

// The files of the folder: a program writes one of the first kind, and gives it a name of the second when
// it is whole. The command touches the last one while it lives.
const (
	partSuffix  = ".part"
	shownSuffix = ".shown"
	aliveFile   = "alive"
)

// aliveEvery is how often a command says that it lives. A program that has looked for patience without
// seeing that takes it for dead. A program that sleeps does not look.
const (
	aliveEvery = time.Second
	patience   = time.Minute
)

// ErrGone is the error of a program whose command has ended without a word.
var ErrGone = errors.New("the command that debugs this launch has gone")

// Attend says to programs that the command lives, until stop is called.
func Attend(dir string) (stop func(), err error) {
	file := filepath.Join(dir, aliveFile)
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		tick := time.NewTicker(aliveEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				_ = os.Chtimes(file, now, now)
			}
		}
	}()
	return cancel, nil
}

// Show shows a launch to the command that has the folder, and returns when the command lets the program
// go on, or when ctx ends, or with ErrGone.
func (s *Launch) Show(ctx context.Context, dir string) error {
	f, err := os.CreateTemp(dir, "*"+partSuffix)
	if err != nil {
		return err
	}
	part := f.Name()
	file := strings.TrimSuffix(part, partSuffix) + shownSuffix
	defer os.Remove(part)
	w := bufio.NewWriter(f)
	s.write(w)
	if err = errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, file); err != nil {
		return err
	}
	return wait(ctx, file, filepath.Join(dir, aliveFile), patience)
}

// wait waits until a file is removed by a command that touches another one.
func wait(ctx context.Context, file, alive string, patience time.Duration) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var seen time.Time
	quiet := time.Duration(0)
	for {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if info, err := os.Stat(alive); err == nil && !info.ModTime().Equal(seen) {
			seen, quiet = info.ModTime(), 0
		}
		err := ErrGone
		if quiet += lookEvery; quiet < patience {
			select {
			case <-tick.C:
				continue
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
		}
		os.Remove(file)
		return err
	}
}

// Next waits for a launch that a program shows in a folder. done lets the program go on. The launch is nil
// when ctx ends or gone is closed.
func Next(ctx context.Context, dir string, gone <-chan struct{}) (l *Launch, done func() error, err error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		files, err := filepath.Glob(filepath.Join(dir, "*"+shownSuffix))
		if err != nil {
			return nil, nil, err
		}
		if len(files) > 0 {
			file := slices.Min(files)
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, nil, err
			}
			l, err = read(text)
			return l, func() error { return os.Remove(file) }, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, nil
		case <-gone:
			return nil, nil, nil
		case <-tick.C:
		}
	}
}
