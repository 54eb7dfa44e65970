//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package segment

import (
	"os"
	"runtime"

	"github.com/edsrzf/mmap-go"
)

// mapping is a file in memory.
type mapping struct {
	bytes []byte
	m     mmap.MMap
}

func mapFile(name string) (*mapping, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 { // nothing can be mapped of an empty file
		return &mapping{}, err
	}
	m, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: name, Err: err}
	}
	return &mapping{m, m}, nil
}

func (m *mapping) close() {
	if m.m != nil {
		m.m.Unmap()
	}
}

// closeAfter unmaps the file when the segment is collected.
func (m *mapping) closeAfter(s *Segment) {
	runtime.AddCleanup(s, (*mapping).close, m)
}
