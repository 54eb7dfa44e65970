//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package segment

import "os"

// mapping is a file that was read, as this system maps none.
type mapping struct{ bytes []byte }

func mapFile(name string) (*mapping, error) {
	b, err := os.ReadFile(name)
	return &mapping{b}, err
}

func (m *mapping) close() {}

func (m *mapping) closeAfter(*Segment) {}
