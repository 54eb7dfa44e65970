package matmul_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/matmul"
	"github.com/gridstride/gridstride/gputest"
)

// TestOnePlanForAll has several goroutines use one plan, on separate streams and for matrices of
// different shapes.
func TestOnePlanForAll(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	const n = 40
	a := matrix(t, dev, n, n, identity(n))
	plan, err := matmul.NewPlan(dev, matmul.Best[float64]())
	must(t, err)
	var workers sync.WaitGroup
	for g := range 4 {
		workers.Go(func() {
			s := dev.NewStream()
			defer s.Close()
			cols := 30 + g
			host := make([]float64, n*cols)
			for i := range host {
				host[i] = float64(i + g)
			}
			b, err1 := gridstride.CopyOf(dev, host)
			c, err2 := gridstride.Make[float64](dev, n*cols)
			for range 2 {
				if err := errors.Join(err1, err2, plan.Launch(s, a, matmul.Matrix[float64]{Rows: n, Cols: cols, Data: b},
					matmul.Matrix[float64]{Rows: n, Cols: cols, Data: c})); err != nil {
					t.Error(err)
					return
				}
				got, err := c.Read(t.Context(), s, nil)
				if err != nil {
					t.Error(err)
					return
				}
				expect(t, got, n, n, cols, func(row, col int) (float64, float64) { return host[row*cols+col], 0 })
			}
			if err := errors.Join(b.Free(), c.Free()); err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	must(t, a.Data.Free())
}

// identity is the matrix of ones on the diagonal.
func identity(n int) []float64 {
	x := make([]float64, n*n)
	for i := range n {
		x[i*n+i] = 1
	}
	return x
}

// TestWrongDevice has one of the matrices on another device than the plan.
func TestWrongDevice(t *testing.T) {
	t.Parallel()
	here, there := gputest.Device(t), gputest.Device(t)
	a, b, c := matrix(t, here, 2, 2, identity(2)), matrix(t, here, 2, 2, identity(2)), matrix(t, here, 2, 2, identity(2))
	far := matrix(t, there, 2, 2, identity(2))
	plan, err := matmul.NewPlan(here, matmul.Best[float64]())
	must(t, err)
	for _, x := range [][3]matmul.Matrix[float64]{{far, b, c}, {a, far, c}, {a, b, far}} {
		if err := plan.Launch(here.Stream(), x[0], x[1], x[2]); !errors.Is(err, gridstride.ErrWrongDevice) {
			t.Errorf("a matrix on another device: %v", err)
		}
	}
	must(t, errors.Join(a.Data.Free(), b.Data.Free(), c.Data.Free(), far.Data.Free()))
}

// TestShared has C in the memory of A or B, which is refused, and A in B's memory, which is not.
func TestShared(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.Stream()
	whole := matrix(t, dev, 2, 9, make([]float32, 18)).Data
	view := func(from int) matmul.Matrix[float32] {
		return matmul.Matrix[float32]{Rows: 3, Cols: 3, Data: whole.Slice(from, from+9)}
	}
	for _, test := range []struct {
		a, b, c int // where the matrices begin
		want    string
	}{
		{0, 9, 0, "matmul: C shares memory with A, "},
		{9, 0, 8, "matmul: C shares memory with A, "},
		{0, 9, 9, "matmul: C shares memory with B, "},
		{0, 0, 9, ""},
		{8, 9, 0, "matmul: C shares memory with A, "},
		{9, 9, 0, ""},
	} {
		for _, v := range matmul.Variants[float32]() {
			plan, err := matmul.NewPlan(dev, v)
			must(t, err)
			err = plan.Launch(s, view(test.a), view(test.b), view(test.c))
			if got := fmt.Sprint(err); (err != nil) != (test.want != "") || err != nil && !strings.HasPrefix(got, test.want) {
				t.Errorf("%s, A at %d, B at %d, C at %d: %v, want %q", v.Name, test.a, test.b, test.c, err, test.want)
			}
		}
	}
	must(t, s.Wait(t.Context()))
	must(t, whole.Free())
}

// testViews multiplies views that start in the middle of 16 bytes.
func testViews[T matmul.Float](t *testing.T, dev *gridstride.Device, v matmul.Variant[T]) {
	const m, n, l = 33, 20, 36 // the rows themselves could be read 16 bytes at a time
	host := make([]T, 3+m*n+n*l)
	for i := range host {
		host[i] = T(i*i%23 - 11)
	}
	s := dev.Stream()
	plan, err := matmul.NewPlan(dev, v)
	must(t, err)
	whole, result := matrix(t, dev, 1, len(host), host).Data, matrix(t, dev, 1, 3+m*l, make([]T, 3+m*l)).Data
	for from := range 4 {
		hostA, hostB := host[from:][:m*n], host[m*n+3-from:][:n*l]
		must(t, plan.Launch(s, matmul.Matrix[T]{Rows: m, Cols: n, Data: whole.Slice(from, from+m*n)},
			matmul.Matrix[T]{Rows: n, Cols: l, Data: whole.Slice(m*n+3-from, m*n+3-from+n*l)},
			matmul.Matrix[T]{Rows: m, Cols: l, Data: result.Slice(from, from+m*l)}))
		c, err := result.Slice(from, from+m*l).Read(t.Context(), s, nil)
		must(t, err)
		expect(t, c, m, n, l, func(row, col int) (sum, off float64) {
			for k := range n {
				sum += float64(hostA[row*n+k]) * float64(hostB[k*l+col])
			}
			return sum, 0
		})
	}
	must(t, errors.Join(whole.Free(), result.Free()))
}

func TestViews(t *testing.T) { each(t, testViews[float32], testViews[float64]) }
