//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package segment

import "io"

// mapping is a file that was read, as this system maps none.
type mapping struct{ bytes []byte }

func mapFile(name string) (*mapping, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return &mapping{b}, err
}

func (m *mapping) close() {}

func (m *mapping) closeAfter(*Segment) {}
