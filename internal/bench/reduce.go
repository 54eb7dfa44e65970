package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/accuracy"
	"github.com/gridstride/gridstride/kernels/reduce"
)

// reduceProblem is a vector.
type reduceProblem[T float] struct {
	host []T
	x    inputs[T]
	plan *reduce.Plan[T]
}

func newReduce[T float](dev *gridstride.Device, o *Options) (*reduceProblem[T], error) {
	bytes := float64(o.N) * float64(sizeOf[T]())
	if err := fits(dev, bytes); err != nil {
		return nil, err
	}
	if o.N == 0 {
		return nil, errors.New("bench: n is 0: a vector without elements has no smallest one")
	}
	p := &reduceProblem[T]{host: random[T](o.N, 1)}
	var err error
	if p.x, err = copies(dev, p.host, int(bytes)); err != nil {
		return nil, err
	}
	if p.plan, err = reduce.NewPlan[T](dev); err != nil {
		return nil, errors.Join(err, p.x.free())
	}
	return p, nil
}

func (p *reduceProblem[T]) free() error { return errors.Join(p.x.free(), p.plan.Free()) }

func (p *reduceProblem[T]) entries() ([]entry, error) {
	n := len(p.host)
	base := entry{shape: fmt.Sprintf("n=%d", n), work: float64(n) * float64(sizeOf[T]())}
	var sum T
	loop := base
	loop.variant, loop.about = "go", "the sum, a loop in Go"
	loop.host = func() {
		sum = 0
		for _, x := range p.host {
			sum += x
		}
	}
	loop.result = func(context.Context, *gridstride.Stream) (float64, string, error) {
		off, wrong := p.compare(reduce.OpSum, float64(sum), n)
		return off, wrong, nil
	}
	all := []entry{loop}
	for _, op := range reduce.Ops {
		e := base
		e.variant, e.about = op.String(), "one pass, the last block finishes"
		e.launch = func(s *gridstride.Stream, i int) error { return p.plan.Launch(s, op, p.x.at(i, n)) }
		e.result = func(ctx context.Context, s *gridstride.Stream) (float64, string, error) {
			got, err := p.plan.Value(ctx, s)
			if err == nil && (op == reduce.OpArgMin || op == reduce.OpArgMax) {
				var i int
				if i, err = p.plan.Index(ctx, s); err == nil {
					got = p.host[i]
				}
			}
			off, wrong := p.compare(op, float64(got), 150+n/35_000_000)
			return off, wrong, err
		}
		all = append(all, e)
	}
	return all, nil
}

// compare holds a result to the host's.
func (p *reduceProblem[T]) compare(op reduce.Op, got float64, roundings int) (float64, string) {
	switch op {
	case reduce.OpMin, reduce.OpArgMin:
		return relative(got, float64(slices.Min(p.host)), 1, 0)
	case reduce.OpMax, reduce.OpArgMax:
		return relative(got, float64(slices.Max(p.host)), 1, 0)
	case reduce.OpSumSquares:
		want, magnitude := accuracy.Dot(p.host, p.host)
		return relative(got, want, magnitude, accuracy.Bound[T](roundings+1, len(p.host), magnitude))
	}
	var sum accuracy.Sum
	magnitude := 0.0
	for _, x := range p.host {
		sum.Add(float64(x))
		magnitude += max(float64(x), float64(-x))
	}
	return relative(got, sum.Value(), magnitude, accuracy.Bound[T](roundings, len(p.host), magnitude))
}
