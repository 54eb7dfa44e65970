// Package ptxpack compresses generated PTX, which is long and repeats itself: a text of 1 MB takes
// about 80 KB. A packed text is one Zstandard frame, which zstd -d reads too.
package ptxpack

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/gridstride/gridstride/internal/abi"
)

// Largest is the size in bytes of the largest text that is unpacked.
const Largest = 256 << 20

// ErrDamaged is the error of data that is no packed text.
var ErrDamaged = errors.New("the compressed PTX is damaged")

// Pack compresses a text. The same text always gives the same bytes with this version of the
// library. Another version may give others for it.
func Pack(text string) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic("BUG: the options of the Zstandard encoder: " + err.Error())
	}
	return w.EncodeAll([]byte(text), nil)
}

// Unpack returns the text that Pack has compressed. It fails for data that is damaged, or longer
// than Largest when it is unpacked.
func Unpack(data string) (string, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(Largest))
	if err != nil {
		panic("BUG: the options of the Zstandard decoder: " + err.Error())
	}
	defer r.Close()
	text, err := r.DecodeAll([]byte(data), nil)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return string(text), nil
}

// ReadFile reads a file of PTX, packed if its name says so.
func ReadFile(name string) (string, error) {
	data, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, abi.PackedSuffix) {
		return string(data), err
	}
	text, err := Unpack(string(data))
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}
