package collective_test

import (
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// step and the declarations after it match testdata/kernels.
type step struct {
	A, B [3]uint32
	C    int16
	D    gpu.Float16
	E    bool
}

func then(x, y step) step {
	for i := range x.A {
		x.A[i], x.B[i] = x.A[i]*y.A[i], x.B[i]*y.A[i]+y.B[i]
	}
	x.C, x.D, x.E = y.C, x.D.Max(y.D), x.E != y.E
	return x
}

func apart(x, y step) step {
	for i := range x.A {
		x.A[i], x.B[i] = x.A[i]+y.A[i], x.B[i]*y.B[i]
	}
	x.C, x.D, x.E = max(x.C, y.C), x.D.Min(y.D), x.E || y.E
	return x
}

// TestValues reduces and scans values that are no numbers, up to the 32 bytes that shuffles take.
func TestValues(t *testing.T) {
	t.Parallel()
	every(t, func(w *world[int32]) {
		steps, points := make([]step, len(w.in)), make([]complex128, len(w.in))
		for i, x := range w.in {
			u := uint32(x)
			steps[i] = step{A: [3]uint32{u | 1, 3, u}, B: [3]uint32{u, 5 * u, 7}, C: int16(x), D: gpu.Float16Of(x), E: x&1 == 0}
			points[i] = complex(float64(x), float64(-2*x))
		}
		in, err := gridstride.CopyOf(w.dev, steps)
		must(t, err)
		z, err := gridstride.CopyOf(w.dev, points)
		must(t, err)
		out, free := buffers[step](w, 6)
		sums, freeSums := buffers[complex128](w, 1)
		must(t, w.kernel("Steps").Launch(w.s, w.cfg, in, out[0], out[1], out[2], out[3], out[4], out[5]))
		must(t, w.kernel("Sums").Launch(w.s, w.cfg, z, sums[0]))
		fold := func(v []step, op func(x, y step) step) step {
			all := v[0]
			for _, x := range v[1:] {
				all = op(all, x)
			}
			return all
		}
		whole := func(op func(x, y step) step) func(_, first, last int) step {
			return func(_, first, last int) step { return fold(steps[first:last+1], op) }
		}
		through := func(i, first, _ int) step { return fold(steps[first:i+1], then) }
		compare(w, "WarpReduce", out[0], gpu.WarpSize, whole(apart))
		compare(w, "WarpInclusiveScan", out[1], gpu.WarpSize, through)
		compare(w, "BlockReduce", out[2], wholeBlock, whole(apart))
		compare(w, "BlockInclusiveScan", out[3], wholeBlock, through)
		compare(w, "BlockExclusiveScan", out[4], wholeBlock, func(i, first, _ int) step {
			all := step{A: [3]uint32{1, 1, 1}}
			if i > first {
				all = fold(steps[first:i], then)
			}
			return all
		})
		compare(w, "BlockExclusiveScan's total", out[5], wholeBlock, whole(then))
		compare(w, "BlockReduce of complex numbers", sums[0], wholeBlock, func(_, first, last int) (sum complex128) {
			for _, x := range points[first : last+1] {
				sum += x
			}
			return sum
		})
		must(t, in.Free())
		must(t, z.Free())
		free()
		freeSums()
	})
}
