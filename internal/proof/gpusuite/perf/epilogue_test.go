package perf

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gpu"
)

var epilogueFile = flag.String("epilogue", "", "measure products with epilogues and write the rows to this `file`; testdata/epilogue.py measures torch")

// ended is one row: the times of a product of n by n bfloat16 to float32 with an epilogue and
// without, medians of rounds.
type ended struct {
	What  string  `json:"what"`
	N     int     `json:"n"`
	Ended float64 `json:"ended_us"`
	Plain float64 `json:"plain_us,omitempty"`
}

// TestEpilogue measures what epilogues add to products.
func TestEpilogue(t *testing.T) {
	if *epilogueFile == "" {
		t.Skip("-epilogue is not given")
	}
	dev := open(t)
	h, err := gpublas.New(dev.Stream())
	must(t, err)
	defer func() { must(t, h.Close()) }()
	const most = 8192
	r := rand.New(rand.NewPCG(2, 2))
	random := make([]gpu.BFloat16, 2*most*most)
	for i := range random {
		if random[i] = random[max(0, i-normals)]; i < normals {
			random[i] = gpu.BFloat16Of(r.NormFloat64())
		}
	}
	factors, err1 := gridstride.CopyOf(dev, random)
	c, err2 := gridstride.Make[float32](dev, most*most)
	bias, err3 := gridstride.CopyOf(dev, make([]float32, most))
	must(t, errors.Join(err1, err2, err3))
	defer func() { must(t, errors.Join(factors.Free(), c.Free(), bias.Free())) }()
	var rows []ended
	for _, n := range []int{2048, 4096, most} {
		x, y := gpublas.MatrixOf(n, n, factors.Slice(0, n*n)), gpublas.MatrixOf(n, n, factors.Slice(most*most, most*most+n*n))
		z := gpublas.MatrixOf(n, n, c.Slice(0, n*n))
		for name, f := range map[string]gpublas.Activation{"bias": gpublas.NoActivation, "bias-relu": gpublas.ReLU, "bias-gelu": gpublas.GELU, "bias-gelutanh": gpublas.GELUTanh} {
			row := ended{What: name, N: n}
			p := gpublas.ProductOf(gpublas.BF16, x, y)
			p.TransB = gpublas.Trans
			row.Plain = deviceTime(t, h.Stream(), 11, 5, func() error { return p.To(h, z) })
			p.Epilogue = gpublas.Epilogue{Bias: gpublas.VectorOf(bias.Slice(0, n)), Activation: f}
			row.Ended = deviceTime(t, h.Stream(), 11, 5, func() error { return p.To(h, z) })
			rows = append(rows, row)
		}
	}
	rows = append(rows, measureTopK(t, dev, h, factors)...)
	text, err := json.MarshalIndent(rows, "", "\t")
	must(t, err)
	must(t, os.WriteFile(*epilogueFile, append(text, '\n'), 0o666))
	for _, r := range rows {
		fmt.Printf("%-16s n %6d  with %8.1f us  without %8.1f us\n", r.What, r.N, r.Ended, r.Plain)
	}
}

// measureTopK measures the choice of the largest elements of each row of a product of 1,024 by 768
// and 768 by 1,000,000.
func measureTopK(t *testing.T, dev *gridstride.Device, h *gpublas.Handle, factors gridstride.Buffer[gpu.BFloat16]) (rows []ended) {
	const m, n, k, most = 1024, 1_000_000, 768, 128
	b, err1 := gridstride.Make[gpu.BFloat16](dev, n*k)
	values, err2 := gridstride.Make[float32](dev, m*most)
	columns, err3 := gridstride.Make[int32](dev, m*most)
	must(t, errors.Join(err1, err2, err3))
	defer func() { must(t, errors.Join(b.Free(), values.Free(), columns.Free())) }()
	for have := 0; have < b.Len(); have += factors.Len() - 1 { // by one less, so that no two rows are the same
		some := min(factors.Len()-1, b.Len()-have)
		must(t, gridstride.Copy(h.Stream(), b.Slice(have, have+some), factors.Slice(0, some)))
	}
	x, y := gpublas.MatrixOf(m, k, factors.Slice(0, m*k)), gpublas.MatrixOf(n, k, b)
	for _, chosen := range []int{1, 10, most} {
		row := ended{What: fmt.Sprintf("top %d of 1024 x 768 x n", chosen), N: n}
		p := gpublas.ProductOf(gpublas.BF16, x, y)
		p.TransB = gpublas.Trans
		row.Ended = deviceTime(t, h.Stream(), 5, 1, func() error { return p.TopKTo(h, chosen, values, columns) })
		rows = append(rows, row)
	}
	return rows
}
