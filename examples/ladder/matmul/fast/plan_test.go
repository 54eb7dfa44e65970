package fast_test

import (
	"errors"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/matmul/fast"
	"github.com/gridstride/gridstride/gputest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// testLaunch multiplies matrices of small integers, whose products are exact, with one plan: sizes
// around a tile, rows that begin at multiples of 16 bytes and not.
func testLaunch[T fast.Float](t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.Stream()
	p, err := fast.NewPlan[T](dev)
	must(t, err)
	matrix := func(rows, cols, salt int) ([]T, fast.Matrix[T]) {
		host := make([]T, rows*cols)
		for i := range host {
			host[i] = T((i*i+salt)%9 - 4)
		}
		b, err := gridstride.CopyOf(dev, host)
		must(t, err)
		return host, fast.Matrix[T]{Rows: rows, Cols: cols, Data: b}
	}
	for _, size := range [][3]int{{0, 4, 4}, {3, 0, 5}, {1, 1, 1}, {31, 33, 5}, {129, 8, 132}, {128, 12, 4}} {
		m, n, l := size[0], size[1], size[2]
		hostA, a := matrix(m, n, 1)
		hostB, b := matrix(n, l, 2)
		_, c := matrix(m, l, 3)
		must(t, p.Launch(s, a, b, c))
		got, err := c.Data.Read(t.Context(), s, nil)
		must(t, err)
		for i, x := range got {
			var want T
			for k := range n {
				want += hostA[i/l*n+k] * hostB[k*l+i%l]
			}
			if x != want {
				t.Fatalf("%v by %v: row %d, column %d is %v, want %v", a, b, i/l, i%l, x, want)
			}
		}
		must(t, errors.Join(a.Data.Free(), b.Data.Free(), c.Data.Free()))
	}
}

func TestLaunch(t *testing.T) {
	t.Parallel()
	t.Run("float32", testLaunch[float32])
	t.Run("float64", testLaunch[float64])
}
