package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/accuracy"
	"github.com/gridstride/gridstride/kernels/matmul"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// hostMost is how many multiply-adds the rows of the processor are worth: a loop in Go does about a thousand million a second.
const hostMost = 1 << 33

// matmulProblem is an A of m by n and a B of n by l.
type matmulProblem[T float] struct {
	dev        *gridstride.Device
	m, n, l    int
	ha, hb, hc []T
	a, b, c    matmul.Matrix[T]
}

func newMatmul[T float](dev *gridstride.Device, o *Options) (_ *matmulProblem[T], err error) {
	m, n, l := float64(o.M), float64(o.N), float64(o.L)
	if err := fits(dev, (m*n+n*l+m*l)*float64(sizeOf[T]())); err != nil {
		return nil, err
	}
	p := &matmulProblem[T]{dev: dev, m: o.M, n: o.N, l: o.L, ha: random[T](o.M*o.N, 1), hb: random[T](o.N*o.L, 2)}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.free())
		}
	}()
	p.a, p.b, p.c = matmul.Matrix[T]{Rows: o.M, Cols: o.N}, matmul.Matrix[T]{Rows: o.N, Cols: o.L}, matmul.Matrix[T]{Rows: o.M, Cols: o.L}
	if p.a.Data, err = gridstride.CopyOf(dev, p.ha); err != nil {
		return nil, err
	}
	if p.b.Data, err = gridstride.CopyOf(dev, p.hb); err != nil {
		return nil, err
	}
	p.c.Data, err = gridstride.Make[T](dev, o.M*o.L)
	return p, err
}

func (p *matmulProblem[T]) free() error {
	return errors.Join(p.a.Data.Free(), p.b.Data.Free(), p.c.Data.Free())
}

func (p *matmulProblem[T]) entries() ([]entry, error) {
	base := entry{shape: fmt.Sprintf("m=%d n=%d l=%d", p.m, p.n, p.l), work: 2 * float64(p.m) * float64(p.n) * float64(p.l)}
	var all []entry
	if base.work <= 2*hostMost {
		p.hc = make([]T, p.m*p.l)
		for _, h := range []struct {
			name, about string
			f           func()
		}{{"go", "three loops in Go", p.loop}, {"gonum", "gonum's blas, in Go and assembly, on all cores", p.gonum}} {
			e := base
			e.variant, e.about, e.host = h.name, h.about, h.f
			e.result = func(context.Context, *gridstride.Stream) (float64, string, error) {
				off, wrong := p.compare(p.hc)
				return off, wrong, nil
			}
			all = append(all, e)
		}
	}
	for _, v := range matmul.Variants[T]() {
		plan, err := matmul.NewPlan(p.dev, v)
		if err != nil {
			return nil, err
		}
		e := base
		e.variant, e.about = v.Name, v.About
		e.launch = func(s *gridstride.Stream, _ int) error { return plan.Launch(s, p.a, p.b, p.c) }
		e.result = func(ctx context.Context, s *gridstride.Stream) (float64, string, error) {
			c, err := p.c.Data.Read(ctx, s, nil)
			if err != nil {
				return 0, "", err
			}
			off, wrong := p.compare(c)
			return off, wrong, nil
		}
		all = append(all, e)
	}
	return all, nil
}

// loop is the product in Go, a row of B at a time.
func (p *matmulProblem[T]) loop() {
	clear(p.hc)
	for i := range p.m {
		row := p.hc[i*p.l:][:p.l]
		for k, x := range p.ha[i*p.n:][:p.n] {
			for j, y := range p.hb[k*p.l:][:p.l] {
				row[j] += x * y
			}
		}
	}
}

func (p *matmulProblem[T]) gonum() {
	if p.m == 0 || p.n == 0 || p.l == 0 {
		clear(p.hc)
		return
	}
	var impl gonum.Implementation
	switch c := any(p.hc).(type) {
	case []float32:
		impl.Sgemm(blas.NoTrans, blas.NoTrans, p.m, p.l, p.n, 1, any(p.ha).([]float32), p.n, any(p.hb).([]float32), p.l, 0, c, p.l)
	case []float64:
		impl.Dgemm(blas.NoTrans, blas.NoTrans, p.m, p.l, p.n, 1, any(p.ha).([]float64), p.n, any(p.hb).([]float64), p.l, 0, c, p.l)
	}
}

// compared is how many elements of C are held to a reference: all of a small one, else the last and others by chance.
const compared = 4096

// compare gives the largest error, and names the first wrong element.
func (p *matmulProblem[T]) compare(c []T) (worst float64, wrong string) {
	column := make([]T, p.n)
	one := func(at int) {
		row, col := at/p.l, at%p.l
		for k := range column {
			column[k] = p.hb[k*p.l+col]
		}
		want, magnitude := accuracy.Dot(p.ha[row*p.n:][:p.n], column)
		off, bad := relative(float64(c[at]), want, magnitude, accuracy.Bound[T](p.n+1, p.n, magnitude))
		worst = max(worst, off)
		if bad != "" && wrong == "" {
			wrong = fmt.Sprintf("row %d, column %d: %s", row, col, bad)
		}
	}
	if len(c) <= compared {
		for at := range c {
			one(at)
		}
		return worst, wrong
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range compared / max(p.n/1024, 1) {
		one(r.IntN(len(c)))
	}
	one(len(c) - 1)
	return worst, wrong
}
