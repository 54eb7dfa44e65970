package gpusimilar_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/similar/gpusimilar"
)

// BenchmarkSpread searches rows of 768 elements, spread over one device and more, for the 10 best.
func BenchmarkSpread(b *testing.B) {
	onGPU := strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda")
	rows := 1 << 9
	if onGPU {
		rows = 1 << 23
	}
	for _, devices := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(devices), func(b *testing.B) {
			var parts []*gpusimilar.Vectors[float32]
			var queries gpublas.Matrix[float32]
			for i := range devices {
				use := "sim"
				if onGPU {
					use = fmt.Sprintf("cuda:%d", i)
				}
				dev, err := gridstride.Open(gridstride.Use(use))
				if errors.Is(err, gridstride.ErrNoDevice) {
					b.Skip("fewer GPUs")
				}
				must(b, err)
				b.Cleanup(func() { must(b, dev.Close()) })
				h, err := gpusimilar.New(dev.Stream())
				must(b, err)
				b.Cleanup(func() { must(b, h.Close()) })
				if i == 0 {
					queries = windows(b, dev, 256, -1)
				}
				v, err := gpusimilar.NewVectors[float32](h, windows(b, dev, rows/devices, i*rows/devices), gpusimilar.Cosine)
				must(b, err)
				b.Cleanup(func() { must(b, v.Close()) })
				parts = append(parts, v)
			}
			x, err := gpusimilar.NewSpread(parts...)
			must(b, err)
			for _, count := range []int{16, 256} {
				some := queries
				some.Rows = count
				_, err := x.Search(b.Context(), some, 10)
				must(b, err)
				b.Run(fmt.Sprintf("queries=%d", count), func(b *testing.B) {
					for b.Loop() {
						_, err := x.Search(b.Context(), some, 10)
						must(b, err)
					}
				})
			}
		})
	}
}

// windows are rows of 768 elements from row first on: windows of one sequence of random numbers, which
// begin at different places in each block of rows.
func windows(b *testing.B, dev *gridstride.Device, rows, first int) gpublas.Matrix[float32] {
	b.Helper()
	const cols, block, shift = 768, 1 << 16, 7
	r := rand.New(rand.NewPCG(1, uint64(min(first, 0))))
	host := make([]float32, min(rows, block)*cols+1000*shift)
	for i := range host {
		host[i] = float32(r.NormFloat64())
	}
	sequence, err := gridstride.CopyOf(dev, host)
	must(b, err)
	data, err := gridstride.Make[float32](dev, rows*cols)
	must(b, err)
	b.Cleanup(func() { must(b, data.Free()) })
	for from := 0; from < rows; from += block {
		n, at := min(block, rows-from)*cols, max(0, first+from)/block*shift
		must(b, gridstride.Copy(dev.Stream(), data.Slice(from*cols, from*cols+n), sequence.Slice(at, at+n)))
	}
	must(b, sequence.Free())
	return gpublas.Matrix[float32]{Data: data, Rows: rows, Cols: cols, Stride: cols}
}
