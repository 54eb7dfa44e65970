package bench

import (
	"context"
	"errors"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/reduce"
	"github.com/gridstride/gridstride/internal/proof/accuracy"
)

// reduceProblem is a vector.
type reduceProblem[T element] struct {
	ss   *bencher
	host []T
	x    inputs[T]
	plan *reduce.Plan[T]
	// compare compares the result of op over the first n elements with the reference. Each element
	// met that number of roundings.
	compare func(op reduce.Op, got T, n, roundings int) (float64, string)
}

func newReduce[T element](ss *bencher, size Size) (*problem, error) {
	bytes := float64(size.N) * float64(sizeOf[T]())
	if err := ss.fits(bytes); err != nil {
		return nil, err
	}
	p := &reduceProblem[T]{ss: ss, host: first[T](ss.o.Data, size.N)}
	p.setCompare()
	var err error
	if p.x, err = copies(ss.dev, p.host, int(bytes)); err != nil {
		return nil, err
	}
	if p.plan, err = reduce.NewPlan[T](ss.dev); err != nil {
		return nil, errors.Join(err, p.x.free())
	}
	return &problem{candidates: p.candidates(), full: size.N, free: p.free,
		sized: func(n int) Size { return Size{N: n} },
		work:  func(n int) float64 { return float64(n) * float64(sizeOf[T]()) },
	}, nil
}

// setCompare takes the comparison for the element type.
func (p *reduceProblem[T]) setCompare() {
	switch host := any(p.host).(type) {
	case []float32:
		p.compare = any(compareFloats(host)).(func(reduce.Op, T, int, int) (float64, string))
	case []float64:
		p.compare = any(compareFloats(host)).(func(reduce.Op, T, int, int) (float64, string))
	default:
		p.compare = p.compareIntegers
	}
}

func (p *reduceProblem[T]) free() error { return errors.Join(p.x.free(), p.plan.Free()) }

func (p *reduceProblem[T]) candidates() []candidate {
	var sum T
	all := []candidate{{variant: "go", about: "the sum, a loop in Go", part: partOnGPU,
		host: func(n int) { sum = goSum(p.host[:n]) },
		result: func(_ context.Context, _ *gridstride.Stream, n int) (float64, string, error) {
			off, wrong := p.compare(reduce.OpSum, sum, n, n)
			return off, wrong, nil
		}}}
	for _, op := range reduce.Ops {
		all = append(all, candidate{variant: op.String(), about: "one pass, the last block finishes",
			part:   p.ss.vectorPart(),
			launch: func(s *gridstride.Stream, i, n int) error { return p.plan.Launch(s, op, p.x.at(i, n)) },
			result: func(ctx context.Context, s *gridstride.Stream, n int) (float64, string, error) {
				got, err := p.value(ctx, s, op)
				off, wrong := p.compare(op, got, n, reduceRoundings(n))
				return off, wrong, err
			}})
	}
	return all
}

// reduceRoundings is more than an element's way into a sum rounds.
func reduceRoundings(n int) int { return 150 + n/35_000_000 }

func goSum[T element](x []T) (sum T) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// value is the result of the last launch, which was op; of argmin and argmax, the element at the
// index.
func (p *reduceProblem[T]) value(ctx context.Context, s *gridstride.Stream, op reduce.Op) (T, error) {
	if op != reduce.OpArgMin && op != reduce.OpArgMax {
		return p.plan.Value(ctx, s)
	}
	i, err := p.plan.Index(ctx, s)
	if err != nil {
		return 0, err
	}
	return p.host[i], nil
}

// compareIntegers is exact: integers wrap, on the device as here.
func (p *reduceProblem[T]) compareIntegers(op reduce.Op, got T, n, _ int) (float64, string) {
	var want T
	host := p.host[:n]
	switch op {
	case reduce.OpMin, reduce.OpArgMin:
		want = slices.Min(host)
	case reduce.OpMax, reduce.OpArgMax:
		want = slices.Max(host)
	case reduce.OpSum:
		for _, x := range host {
			want += x
		}
	case reduce.OpSumSquares:
		for _, x := range host {
			want += x * x
		}
	}
	if got == want {
		return 0, ""
	}
	return relative(float64(got), float64(want), 1, -1)
}

// compareFloats compares with what is added up in twice the precision.
func compareFloats[T float](host []T) func(op reduce.Op, got T, n, roundings int) (float64, string) {
	sums := newReferences(func(from, to int) (s sum) {
		var total accuracy.Sum
		for _, x := range host[from:to] {
			total.Add(float64(x))
			s.magnitude += max(float64(x), float64(-x))
		}
		s.value = total.Value()
		return s
	})
	squares := dotReferences(host, host)
	return func(op reduce.Op, got T, n, roundings int) (float64, string) {
		of, host := sums, host[:n]
		switch op {
		case reduce.OpMin, reduce.OpArgMin:
			return relative(float64(got), float64(slices.Min(host)), 1, 0)
		case reduce.OpMax, reduce.OpArgMax:
			return relative(float64(got), float64(slices.Max(host)), 1, 0)
		case reduce.OpSumSquares:
			of = squares
			roundings++
		}
		want := of.of(n)
		return relative(float64(got), want.value, want.magnitude, accuracy.Bound[T](roundings, n, want.magnitude))
	}
}
