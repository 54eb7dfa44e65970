package spread_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/blas/gpublas/spread"
	"github.com/gridstride/gridstride/comm"
)

// place makes a matrix of a rank's device, with a stride above its columns, and returns its elements.
func place(t testing.TB, h *spread.Handle, r, rows, cols int, random *rand.Rand) (gpublas.Matrix[float32], []float32) {
	t.Helper()
	stride := cols + 1 + random.IntN(3)
	data := make([]float32, rows*stride)
	for i := range data {
		data[i] = float32(random.IntN(17) - 8) // products and sums are exact
	}
	s := h.Group().Stream(r)
	ready, err := gridstride.CopyOf(s.Device(), data)
	must(t, err)
	b, err := gridstride.Make[float32](s.Device(), len(data))
	must(t, err)
	// The elements come late, in the order of the rank's stream: other ranks must wait for them.
	must(t, s.LaunchHostFunc(func() { time.Sleep(time.Millisecond) }))
	must(t, gridstride.Copy(s, b, ready))
	t.Cleanup(func() { must(t, errors.Join(b.Free(), ready.Free())) })
	return gpublas.Matrix[float32]{Data: b, Rows: rows, Cols: cols, Stride: stride}, data
}

// lengths are the lengths of parts of n.
func lengths(random *rand.Rand, n, ranks int) (list []int) {
	first := 0
	for _, end := range split(random, n, ranks) {
		list, first = append(list, end-first), end
	}
	return list
}

// TestProduct compares spread products of whole numbers with a plain loop: random shapes, transposes,
// parts, alpha and beta, and several calls queued without a wait.
func TestProduct(t *testing.T) {
	t.Parallel()
	for _, ranks := range []int{1, 2, 3, 5} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			t.Parallel()
			h := open(t, ranks)
			random := rand.New(rand.NewPCG(uint64(ranks), 4))
			var wait []func()
			for range 12 {
				wait = append(wait, testProduct(t, h, random))
			}
			for _, f := range wait {
				f()
			}
		})
	}
}

// testProduct queues a product. The function waits for it and compares.
func testProduct(t *testing.T, h *spread.Handle, random *rand.Rand) func() {
	ranks := h.Group().Ranks()
	ms, ns, k := lengths(random, random.IntN(40), ranks), lengths(random, random.IntN(40), ranks), random.IntN(30)
	n := 0
	for _, cols := range ns {
		n += cols
	}
	transA, transB := gpublas.Transpose(random.IntN(2) == 1), gpublas.Transpose(random.IntN(2) == 1)
	alpha, beta := float32(random.IntN(3)-1), float32(random.IntN(3)-1)
	matrix := func(r, rows, cols int, trans gpublas.Transpose) (gpublas.Matrix[float32], func(i, j int) float32) {
		if trans {
			m, data := place(t, h, r, cols, rows, random)
			return m, func(i, j int) float32 { return data[j*m.Stride+i] }
		}
		m, data := place(t, h, r, rows, cols, random)
		return m, func(i, j int) float32 { return data[i*m.Stride+j] }
	}
	var a, b, c []gpublas.Matrix[float32]
	var atA, atB []func(i, j int) float32
	var want [][]float32
	for r := range ranks {
		ma, at := matrix(r, ms[r], k, transA)
		mb, bt := matrix(r, k, ns[r], transB)
		mc, data := place(t, h, r, ms[r], n, random)
		a, b, c, atA, atB, want = append(a, ma), append(b, mb), append(c, mc), append(atA, at), append(atB, bt), append(want, data)
	}
	for r := range ranks {
		first := 0
		for q := range ranks {
			for i := range ms[r] {
				for j := range ns[q] {
					var sum float32
					for l := range k {
						sum += atA[r](i, l) * atB[q](l, j)
					}
					to := &want[r][i*c[r].Stride+first+j]
					*to = alpha*sum + beta**to
				}
			}
			first += ns[q]
		}
	}
	p := spread.ProductOf(gpublas.FP32, a, b)
	p.TransA, p.TransB, p.Alpha, p.Beta = transA, transB, alpha, beta
	must(t, p.To(h, c))
	for r := range ranks { // the parts of B may be changed at once
		if b[r].Data.Len() > 0 {
			must(t, b[r].Data.Fill(h.Group().Stream(r), 1e30))
		}
	}
	return func() {
		for r := range ranks {
			got, err := c[r].Data.Read(t.Context(), h.Group().Stream(r), nil)
			if err != nil || !slices.Equal(got, want[r]) {
				t.Errorf("rank %d of %d: %v times %v by %d (%v, %v), alpha %v, beta %v: %v, got %v, want %v", r, ranks, ms, ns, k, transA, transB, alpha, beta, err, got, want[r])
			}
		}
	}
}

// TestProductRefused: what is wrong is said with the rank.
func TestProductRefused(t *testing.T) {
	t.Parallel()
	h := open(t, 2)
	if h.Group().Ranks() < 2 {
		t.Skip("one GPU alone")
	}
	random := rand.New(rand.NewPCG(5, 5))
	var a, b, c []gpublas.Matrix[float32]
	for r := range 2 {
		ma, _ := place(t, h, r, 3, 4, random)
		mb, _ := place(t, h, r, 4, 5, random)
		mc, _ := place(t, h, r, 3, 10, random)
		a, b, c = append(a, ma), append(b, mb), append(c, mc)
	}
	multiply := func(a, b, c []gpublas.Matrix[float32]) error {
		return spread.ProductOf(gpublas.FP32, a, b).To(h, c)
	}
	must(t, multiply(a, b, c))
	narrow := slices.Clone(c)
	narrow[1].Cols = 9
	tall := slices.Clone(b)
	tall[1].Rows = 3
	inside := slices.Clone(c)
	inside[1].Data = b[1].Data
	for _, x := range []struct {
		name    string
		got     error
		want    error
		message string
	}{
		{"a part is missing", multiply(a[:1], b, c), comm.ErrRank, "a, b and c have 1, 2 and 2 parts"},
		{"c is narrow", multiply(a, b, narrow), gpublas.ErrShape, "rank 1: spread: Product.To: c is 3 x 9 for a product of 3 x 10"},
		{"b is short", multiply(a, tall, c), gpublas.ErrShape, "a is 3 x 4, and rank 1's b 3 x 5"},
		{"c is too long for its buffer", multiply(a, b, inside), gpublas.ErrShort, "rank 1"},
		{"parts of the other device", multiply([]gpublas.Matrix[float32]{a[1], a[0]}, b, c), gridstride.ErrWrongDevice, "rank 0"},
	} {
		if !errors.Is(x.got, x.want) || !contains(x.got, x.message) {
			t.Errorf("%s: %v; want %v with %q", x.name, x.got, x.want, x.message)
		}
	}
	over := []gpublas.Matrix[float32]{b[0], b[1]}
	over[1].Rows, over[1].Cols = 3, 5
	square := slices.Clone(c)
	square[1] = over[1]
	none := gpublas.Matrix[float32]{Rows: 4, Stride: 1}
	if err := multiply(a, []gpublas.Matrix[float32]{none, b[1]}, []gpublas.Matrix[float32]{c[0].Slice(0, 3, 0, 5), square[1]}); !errors.Is(err, gpublas.ErrOverlap) {
		t.Errorf("c is in b: %v", err)
	}
	must(t, h.Close())
	if err := multiply(a, b, c); !errors.Is(err, gridstride.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
