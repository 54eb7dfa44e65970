package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/examples/ladder/tensor"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/proof/accuracy"
	"github.com/gridstride/gridstride/internal/proof/cublas"
)

// tensorProblem is an A of m by n and a B of l by n, whose transpose A is multiplied by.
type tensorProblem struct {
	ss      *bencher
	m, n, l int
	ha, hb  []float32 // the elements as the device rounds them
	a, b    inputs[gpu.BFloat16]
	c       gridstride.Buffer[float32]
	lib     *gpublas.Handle
	known   map[int]sum // elements of C that were computed as references
}

func newTensor(ss *bencher, size Size) (_ *problem, err error) {
	m, n, l := float64(size.M), float64(size.N), float64(size.L)
	bytes := 2*(m*n+n*l) + 4*m*l
	if err := ss.fits(bytes); err != nil {
		return nil, err
	}
	p := &tensorProblem{ss: ss, m: size.M, n: size.N, l: size.L, known: map[int]sum{},
		ha: first[float32](ss.o.Data, size.M*size.N), hb: second[float32](ss.o.Data, size.L*size.N)}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.free())
		}
	}()
	if p.a, err = copies(ss.dev, halved(p.ha), int(bytes)); err != nil {
		return nil, err
	}
	if p.b, err = copies(ss.dev, halved(p.hb), int(bytes)); err != nil {
		return nil, err
	}
	if p.c, err = gridstride.Make[float32](ss.dev, p.m*p.l); err != nil {
		return nil, err
	}
	if p.lib, err = gpublas.New(ss.s); err != nil {
		return nil, err
	}
	all, err := p.candidates()
	return &problem{candidates: all, full: p.m, free: p.free,
		sized: func(rows int) Size { return Size{M: rows, N: p.n, L: p.l} },
		work:  func(rows int) float64 { return 2 * float64(rows) * n * l },
	}, err
}

// halved rounds elements to numbers of 16 bits, which it gives.
func halved(x []float32) []gpu.BFloat16 {
	out := make([]gpu.BFloat16, len(x))
	inChunks(len(x), func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = gpu.BFloat16Of(x[i])
			x[i] = out[i].Float32()
		}
	})
	return out
}

func (p *tensorProblem) free() error {
	err := errors.Join(p.a.free(), p.b.free(), p.c.Free())
	if p.lib != nil {
		err = errors.Join(err, p.lib.Close())
	}
	return err
}

// operands are the matrices of launch i: rows of A, B, and as many rows of C.
func (p *tensorProblem) operands(i, rows int) (a, b gridstride.Buffer[gpu.BFloat16], c gridstride.Buffer[float32]) {
	return p.a.at(i, rows*p.n), p.b.at(i, p.l*p.n), p.c.Slice(0, rows*p.l)
}

// candidates are the rungs of the ladder that take the sizes, package gpublas, and cuBLAS.
func (p *tensorProblem) candidates() (all []candidate, err error) {
	for _, v := range tensor.Variants() {
		e := candidate{variant: v.Name, about: v.About, part: max(p.m/16, 128), result: p.result}
		switch {
		case v.Aligned && p.n%8 != 0:
			e.skipped = fmt.Sprintf("it takes rows of a multiple of 8 numbers, and these have %d", p.n)
		case v.AlignedC && p.l%4 != 0:
			e.skipped = fmt.Sprintf("it takes a C whose rows have a multiple of 4 numbers, and these have %d", p.l)
		}
		if e.skipped != "" {
			all = append(all, e)
			continue
		}
		plan, err := tensor.NewPlan(p.ss.dev, v)
		if err != nil {
			return nil, err
		}
		e.launch = func(s *gridstride.Stream, i, rows int) error {
			a, b, c := p.operands(i, rows)
			return plan.Launch(s, tensor.Matrix[gpu.BFloat16]{Rows: rows, Cols: p.n, Data: a},
				tensor.Matrix[gpu.BFloat16]{Rows: p.l, Cols: p.n, Data: b},
				tensor.Matrix[float32]{Rows: rows, Cols: p.l, Data: c})
		}
		all = append(all, e)
	}
	all = append(all, candidate{variant: "gpublas", about: "package gpublas, Product", result: p.result,
		launch: func(_ *gridstride.Stream, i, rows int) error {
			a, b, c := p.operands(i, rows)
			product := gpublas.ProductOf(gpublas.BF16, gpublas.MatrixOf(rows, p.n, a), gpublas.MatrixOf(p.l, p.n, b))
			product.TransB = gpublas.Trans
			return product.To(p.lib, gpublas.MatrixOf(rows, p.l, c))
		}})
	if p.ss.rival != nil {
		all = append(all, p.ss.rival.candidate(func(h *cublas.Handle, e *candidate) {
			e.launch = func(_ *gridstride.Stream, i, rows int) error {
				a, b, c := p.operands(i, rows)
				return cublas.GemmEx(h, true, rows, p.n, p.l, a, b, c)
			}
			e.result = p.result
		}))
	}
	return all, nil
}

// result gives the largest error of the elements that are compared, and names the first wrong one.
func (p *tensorProblem) result(ctx context.Context, s *gridstride.Stream, rows int) (worst float64, wrong string, err error) {
	c, err := p.c.Slice(0, rows*p.l).Read(ctx, s, nil)
	if err != nil {
		return 0, "", err
	}
	for _, at := range compared(len(c), p.n, false) {
		want := p.reference(at)
		off, bad := relative(float64(c[at]), want.value, want.magnitude, accuracy.Bound[float32](tensorRoundings(p.n), p.n, want.magnitude))
		worst = max(worst, off)
		if bad != "" && wrong == "" {
			wrong = fmt.Sprintf("row %d, column %d: %s", at/p.l, at%p.l, bad)
		}
	}
	return worst, wrong, nil
}

// tensorRoundings is the greatest number of roundings of a sum of n products: tensor cores add 16
// products to the sum at once, and each loses the bits below the last bit of the largest.
func tensorRoundings(n int) int { return 2 * 17 * (n/16 + 1) }

// reference is an element of C.
func (p *tensorProblem) reference(at int) sum {
	s, ok := p.known[at]
	if !ok {
		s.value, s.magnitude = accuracy.Dot(p.ha[at/p.l*p.n:][:p.n], p.hb[at%p.l*p.n:][:p.n])
		p.known[at] = s
	}
	return s
}
