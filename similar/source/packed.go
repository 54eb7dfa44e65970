package source

import (
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxRatio is how many times its own size a compressed file may hold. Prose has 3 to 10 times the
	// size, and a file that was made to do harm up to a million times.
	maxRatio = 200
	// freeBytes is how many bytes it may hold in any case.
	freeBytes = 1 << 20
	// maxWindow is how many bytes back a zstd file may point, which a reader keeps.
	maxWindow = 64 << 20
)

// packings are the readers of compressed files by the last ending of their names, after the ending
// of the form that they hold.
var packings = map[string]func(io.Reader) (io.ReadCloser, error){
	"gz": func(in io.Reader) (io.ReadCloser, error) { return gzip.NewReader(in) },
	"zst": func(in io.Reader) (io.ReadCloser, error) {
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	},
}

// formNamed returns the form of a name, which may end with a packing's, or nil.
func formNamed(name string) form {
	if f := forms[name]; f != nil {
		return f
	}
	ending := strings.TrimPrefix(path.Ext(name), ".")
	inner := forms[strings.TrimSuffix(name, "."+ending)]
	if unpack := packings[ending]; inner != nil && unpack != nil {
		return unpacked(inner, unpack)
	}
	return nil
}

// unpacked makes a form of compressed files.
func unpacked(inner form, unpack func(io.Reader) (io.ReadCloser, error)) form {
	return func(r *reader, name string, in io.Reader) {
		packed := &counter{in: in}
		out, err := unpack(packed)
		if err != nil {
			r.bad(name, 0, err)
			return
		}
		defer out.Close()
		inner(r, name, &bounded{counter{in: out}, packed})
	}
}

// A counter counts the bytes that are read.
type counter struct {
	in io.Reader
	n  int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.n += int64(n)
	return n, err
}

// bounded reads what a compressed file holds, and fails where that is far more than the file.
type bounded struct {
	counter
	packed *counter
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.counter.Read(p)
	if b.n-freeBytes > maxRatio*b.packed.n {
		return 0, fmt.Errorf("it holds more than %d times its own size", maxRatio)
	}
	return n, err
}
