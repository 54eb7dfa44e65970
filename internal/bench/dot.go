package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/accuracy"
	"github.com/gridstride/gridstride/kernels/dot"
	"gonum.org/v1/gonum/blas/gonum"
)

// singleMost is the length on which one thread is timed: a GPU's needs a second for two million elements.
const singleMost = 1 << 20

// dotProblem is two vectors.
type dotProblem[T float] struct {
	dev    *gridstride.Device
	n      int
	ha, hb []T
	a, b   inputs[T]
	plans  []*dot.Plan[T]
}

func newDot[T float](dev *gridstride.Device, o *Options) (*dotProblem[T], error) {
	bytes := 2 * float64(o.N) * float64(sizeOf[T]())
	if err := fits(dev, bytes*1.5); err != nil { // the products take half as much again
		return nil, err
	}
	p := &dotProblem[T]{dev: dev, n: o.N, ha: random[T](o.N, 1), hb: random[T](o.N, 2)}
	var err error
	if p.a, err = copies(dev, p.ha, int(bytes)); err != nil {
		return nil, err
	}
	if p.b, err = copies(dev, p.hb, int(bytes)); err != nil {
		return nil, errors.Join(err, p.a.free())
	}
	return p, nil
}

func (p *dotProblem[T]) free() error {
	err := errors.Join(p.a.free(), p.b.free())
	for _, plan := range p.plans {
		err = errors.Join(err, plan.Free())
	}
	return err
}

func (p *dotProblem[T]) entries() ([]entry, error) {
	all := []entry{
		p.host("go", "a loop in Go", p.n, func(a, b []T) (sum T) {
			for i, x := range a {
				sum += x * b[i]
			}
			return sum
		}),
		p.host("gonum", "gonum's blas, in Go and assembly", p.n, gonumDot[T]),
	}
	for _, v := range dot.Variants[T]() {
		e, err := p.variant(v)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

func gonumDot[T float](a, b []T) T {
	var blas gonum.Implementation
	switch a := any(a).(type) {
	case []float32:
		return T(blas.Sdot(len(a), a, 1, any(b).([]float32), 1))
	case []float64:
		return T(blas.Ddot(len(a), a, 1, any(b).([]float64), 1))
	}
	panic("BUG: neither float32 nor float64")
}

// host is a row that runs on the processor; its sums may round at each of the n steps.
func (p *dotProblem[T]) host(name, about string, roundings int, f func(a, b []T) T) entry {
	var got T
	return entry{variant: name, about: about, shape: fmt.Sprintf("n=%d", p.n), work: p.bytes(p.n),
		host: func() { got = f(p.ha, p.hb) },
		result: func(context.Context, *gridstride.Stream) (float64, string, error) {
			off, wrong := p.compare(float64(got), p.n, roundings)
			return off, wrong, nil
		}}
}

func (p *dotProblem[T]) variant(v dot.Variant[T]) (entry, error) {
	n := p.n
	blocks := min(n/256+1, 8448)
	roundings := 100 + n/(blocks*256)
	if v.OnDevice {
		roundings += blocks
	}
	if v.MaxBlock == 1 {
		n = min(n, singleMost)
		roundings = n
	}
	plan, err := dot.NewPlan(p.dev, v, n, dot.Options{})
	if err != nil {
		return entry{}, err
	}
	p.plans = append(p.plans, plan)
	return entry{variant: v.Name, about: v.About, shape: fmt.Sprintf("n=%d", n), work: p.bytes(n),
		launch: func(s *gridstride.Stream, i int) error { return plan.Launch(s, p.a.at(i, n), p.b.at(i, n)) },
		result: func(ctx context.Context, s *gridstride.Stream) (float64, string, error) {
			got, err := plan.Result(ctx, s)
			off, wrong := p.compare(got, n, roundings)
			return off, wrong, err
		}}, nil
}

func (p *dotProblem[T]) bytes(n int) float64 { return 2 * float64(n) * float64(sizeOf[T]()) }

func (p *dotProblem[T]) compare(got float64, n, roundings int) (float64, string) {
	want, magnitude := accuracy.Dot(p.ha[:n], p.hb[:n])
	return relative(got, want, magnitude, accuracy.Bound[T](roundings+1, n, magnitude))
}
