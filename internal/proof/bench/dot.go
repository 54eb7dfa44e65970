package bench

import (
	"context"
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/dot"
	"github.com/gridstride/gridstride/examples/ladder/dot/fast"
	"github.com/gridstride/gridstride/internal/proof/accuracy"
	"github.com/gridstride/gridstride/internal/proof/cublas"
)

// dotProblem is two vectors.
type dotProblem[T float] struct {
	ss     *bencher
	n      int
	ha, hb []T
	a, b   inputs[T]
	out    gridstride.Buffer[T] // cuBLAS's result
	plans  []*dot.Plan[T]
	want   *references
}

func newDot[T float](ss *bencher, size Size) (_ *problem, err error) {
	bytes := 2 * float64(size.N) * float64(sizeOf[T]())
	if err := ss.fits(bytes * 1.5); err != nil { // the products take half as much again
		return nil, err
	}
	p := &dotProblem[T]{ss: ss, n: size.N, ha: first[T](ss.o.Data, size.N), hb: second[T](ss.o.Data, size.N)}
	p.want = dotReferences(p.ha, p.hb)
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
	if p.out, err = gridstride.Make[T](ss.dev, 1); err != nil {
		return nil, err
	}
	all, err := p.candidates()
	return &problem{candidates: all, full: p.n, free: p.free,
		sized: func(n int) Size { return Size{N: n} },
		work:  func(n int) float64 { return 2 * float64(n) * float64(sizeOf[T]()) },
	}, err
}

func (p *dotProblem[T]) free() error {
	err := errors.Join(p.a.free(), p.b.free(), p.out.Free())
	for _, plan := range p.plans {
		err = errors.Join(err, plan.Free())
	}
	return err
}

func (p *dotProblem[T]) candidates() ([]candidate, error) {
	all := []candidate{p.host()}
	for _, v := range dot.Variants[T]() {
		e, err := p.variant(v)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	if p.ss.rival != nil {
		all = append(all, p.cublas())
	}
	return all, nil
}

func goDot[T float](a, b []T) (sum T) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// host is the row that runs on the processor. Its sum may round at each step.
func (p *dotProblem[T]) host() candidate {
	var got T
	return candidate{variant: "go", about: "a loop in Go", part: partOnGPU,
		host: func(n int) { got = goDot(p.ha[:n], p.hb[:n]) },
		result: func(_ context.Context, _ *gridstride.Stream, n int) (float64, string, error) {
			off, wrong := p.compare(float64(got), n, n)
			return off, wrong, nil
		}}
}

func (p *dotProblem[T]) variant(v dot.Variant[T]) (candidate, error) {
	plan, err := dot.NewPlan(p.ss.dev, v, p.n, dot.Options{})
	if err != nil {
		return candidate{}, err
	}
	p.plans = append(p.plans, plan)
	return candidate{variant: v.Name, about: v.About, part: p.ss.vectorPart(),
		launch: func(s *gridstride.Stream, i, n int) error { return plan.Launch(s, p.a.at(i, n), p.b.at(i, n)) },
		result: func(ctx context.Context, s *gridstride.Stream, n int) (float64, string, error) {
			got, err := plan.Result(ctx, s)
			off, wrong := p.compare(got, n, dotRoundings(v, n))
			return off, wrong, err
		}}, nil
}

// dotRoundings is more than an element's way into a variant's sum rounds.
func dotRoundings[T float](v dot.Variant[T], n int) int {
	if v.MaxBlock == 1 {
		return n
	}
	blocks := min(n/256+1, fast.MaxBlocks)
	roundings := 100 + n/(blocks*256)
	if v.OnDevice {
		roundings += blocks
	}
	return roundings
}

func (p *dotProblem[T]) cublas() candidate {
	return p.ss.rival.candidate(func(h *cublas.Handle, e *candidate) {
		e.launch = func(_ *gridstride.Stream, i,
			n int) error {
			return cublas.Dot(h, p.a.at(i, n), p.b.at(i, n), p.out)
		}
		e.result = func(ctx context.Context, s *gridstride.Stream, n int) (float64, string, error) {
			got, err := p.out.Read(ctx, s, nil)
			if err != nil {
				return 0, "", err
			}
			off, wrong := p.compare(float64(got[0]), n, min(n, 100+fast.MaxBlocks+n/10_000)) // its way is not known
			return off, wrong, nil
		}
	})
}

// compare holds a result of the first n elements to the reference, or to the closed form where the
// data has one.
func (p *dotProblem[T]) compare(got float64, n, roundings int) (float64, string) {
	want := p.want.of(n)
	bound := accuracy.Bound[T](roundings+1, n, want.magnitude)
	switch p.ss.o.Data {
	case Ramp:
		want.value = float64(n) * float64(n-1)
		bound = max(bound, closedForm*want.value)
	case Sqrt2:
		want.value = 2 * float64(n)
		bound = max(bound, closedForm*want.value)
	}
	return relative(got, want.value, want.magnitude, bound)
}
