package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/matmul"
	"github.com/gridstride/gridstride/internal/proof/accuracy"
	"github.com/gridstride/gridstride/internal/proof/cublas"
)

// matmulProblem is an A of m by n and a B of n by l. Its sizes are rows of A and C.
type matmulProblem[T float] struct {
	ss         *bencher
	m, n, l    int
	ha, hb, hc []T
	a, b       inputs[T]
	c          gridstride.Buffer[T]
	known      map[int]sum // elements of C that were computed as references
}

func newMatmul[T float](ss *bencher, size Size) (_ *problem, err error) {
	m, n, l := float64(size.M), float64(size.N), float64(size.L)
	bytes := (m*n + n*l + m*l) * float64(sizeOf[T]())
	if err := ss.fits(bytes); err != nil {
		return nil, err
	}
	p := &matmulProblem[T]{ss: ss, m: size.M, n: size.N, l: size.L,
		ha: first[T](ss.o.Data, size.M*size.N), hb: second[T](ss.o.Data, size.N*size.L)}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.free())
		}
	}()
	if p.a, err = copies(ss.dev, p.ha, int(bytes)); err != nil {
		return nil, err
	}
	if p.b, err = copies(ss.dev, p.hb, int(bytes)); err != nil {
		return nil, err
	}
	if p.c, err = gridstride.Make[T](ss.dev, p.m*p.l); err != nil {
		return nil, err
	}
	all, err := p.candidates()
	return &problem{candidates: all, full: p.m, free: p.free,
		sized: p.sized,
		work:  func(rows int) float64 { return 2 * float64(rows) * n * l },
	}, err
}

func (p *matmulProblem[T]) sized(rows int) Size { return Size{M: rows, N: p.n, L: p.l} }

func (p *matmulProblem[T]) free() error { return errors.Join(p.a.free(), p.b.free(), p.c.Free()) }

// hostOperations is about what one core does in a third of a second, in Go.
const hostOperations = 1 << 29

// rowsFor returns a number of rows of A whose product has about that number of operations.
func (p *matmulProblem[T]) rowsFor(operations int) int { return max(operations/2/max(p.n*p.l, 1), 1) }

func (p *matmulProblem[T]) candidates() ([]candidate, error) {
	all := []candidate{
		{variant: "go", about: "three loops in Go", part: p.rowsFor(hostOperations), host: p.loop,
			result: p.hostResult},
	}
	for _, v := range matmul.Variants[T]() {
		plan, err := matmul.NewPlan(p.ss.dev, v)
		if err != nil {
			return nil, err
		}
		all = append(all, candidate{variant: v.Name, about: v.About, part: max(p.m/16, 128),
			launch: func(s *gridstride.Stream, i, rows int) error {
				a, b, c := p.operands(i, rows)
				return plan.Launch(s, matmul.Matrix[T]{Rows: rows, Cols: p.n, Data: a},
					matmul.Matrix[T]{Rows: p.n, Cols: p.l, Data: b},
					matmul.Matrix[T]{Rows: rows, Cols: p.l, Data: c})
			},
			result: p.result})
	}
	if p.ss.rival != nil {
		all = append(all, p.ss.rival.candidate(func(h *cublas.Handle, e *candidate) {
			e.launch = func(_ *gridstride.Stream, i, rows int) error {
				a, b, c := p.operands(i, rows)
				return cublas.Gemm(h, rows, p.n, p.l, a, b, c)
			}
			e.result = p.result
		}))
	}
	return all, nil
}

// operands are the matrices of launch i: rows of A, B, and as many rows of C.
func (p *matmulProblem[T]) operands(i, rows int) (a, b, c gridstride.Buffer[T]) {
	return p.a.at(i, rows*p.n), p.b.at(i, p.n*p.l), p.c.Slice(0, rows*p.l)
}

func (p *matmulProblem[T]) result(ctx context.Context, s *gridstride.Stream, rows int) (float64, string, error) {
	c, err := p.c.Slice(0, rows*p.l).Read(ctx, s, nil)
	if err != nil {
		return 0, "", err
	}
	off, wrong := p.compare(c)
	return off, wrong, nil
}

func (p *matmulProblem[T]) hostResult(context.Context, *gridstride.Stream, int) (float64, string, error) {
	off, wrong := p.compare(p.hc)
	return off, wrong, nil
}

// loop is the product in Go, a row of B at a time.
func (p *matmulProblem[T]) loop(rows int) {
	p.hc = make([]T, rows*p.l)
	for i := range rows {
		row := p.hc[i*p.l:][:p.l]
		for k, x := range p.ha[i*p.n:][:p.n] {
			for j, y := range p.hb[k*p.l:][:p.l] {
				row[j] += x * y
			}
		}
	}
}

// compare gives the largest error, and names the first wrong element.
func (p *matmulProblem[T]) compare(c []T) (worst float64, wrong string) {
	reference := p.reference()
	for _, at := range compared(len(c), p.n, p.ss.o.Data == Sqrt2) {
		want, magnitude, bound := reference(at/p.l, at%p.l)
		off, bad := relative(float64(c[at]), want, magnitude, bound)
		worst = max(worst, off)
		if bad != "" && wrong == "" {
			wrong = fmt.Sprintf("row %d, column %d: %s", at/p.l, at%p.l, bad)
		}
	}
	return worst, wrong
}

// compared returns the indices of the elements of C, of n, that are compared with a reference, in
// order: all of a small C, or if all is set, else random ones and the last. Each is a sum of that
// number of terms.
func compared(n, terms int, all bool) []int {
	const most = 4096
	some := most / max(terms/1024, 1)
	if n <= most || all {
		some = n
	}
	at := make([]int, some)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range at {
		at[i] = i
		if some < n {
			at[i] = r.IntN(n)
		}
	}
	if some < n {
		at[0] = n - 1
		slices.Sort(at)
	}
	return at
}

// reference gives an element of C, the sum of the absolute values of its terms, and how far
// rounding may take it.
func (p *matmulProblem[T]) reference() func(row, col int) (want, magnitude, bound float64) {
	if p.ss.o.Data == Sqrt2 {
		want := 2 * float64(p.n)
		bound := max(closedForm*want, accuracy.Bound[T](p.n+1, p.n, want))
		return func(int, int) (float64, float64, float64) { return want, want, bound }
	}
	if p.known == nil {
		p.known = map[int]sum{}
	}
	column := make([]T, p.n)
	return func(row, col int) (want, magnitude, bound float64) {
		at := row*p.l + col
		s, ok := p.known[at]
		if !ok {
			for k := range column {
				column[k] = p.hb[k*p.l+col]
			}
			s.value, s.magnitude = accuracy.Dot(p.ha[row*p.n:][:p.n], column)
			p.known[at] = s
		}
		return s.value, s.magnitude, accuracy.Bound[T](p.n+1, p.n, s.magnitude)
	}
}
