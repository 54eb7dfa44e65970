package bench

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/dot"
	"github.com/gridstride/gridstride/examples/ladder/matmul"
	"github.com/gridstride/gridstride/examples/ladder/reduce"
)

// endTask is a call to be timed.
type endTask[T element] struct {
	inputs  [][]T
	outputs int // elements of the result that fill host memory, 0 for a number
	// load makes the kernel ready, with its working memory. It will run on stream s.
	load func(dev *gridstride.Device, s *gridstride.Stream) (endPlan[T], error)
	// processor are the ways that need no device.
	processor []processorWay[T]
	// wrong says what is wrong with a result, of the device or the processor, which rounds more.
	wrong func(result []T, onDevice bool) string
}

type processorWay[T element] struct {
	name string
	run  func() []T
}

// endPlan is a kernel that is ready.
type endPlan[T element] struct {
	launch func(s *gridstride.Stream, in []gridstride.Buffer[T]) error
	// read waits and gives the result, in to if it is more than a number.
	read func(ctx context.Context, s *gridstride.Stream, to hostMemory[T]) ([]T, error)
	free func() error
}

// hostMemory is a slice, and the pinned memory that it is, if any.
type hostMemory[T element] struct {
	data   []T
	pinned gridstride.Pinned[T]
}

func (h hostMemory[T]) write(ctx context.Context, s *gridstride.Stream, b gridstride.Buffer[T]) error {
	if h.pinned.Len() == 0 {
		return b.Write(ctx, s, h.data)
	}
	return b.WriteAsync(s, h.pinned)
}

func (h hostMemory[T]) read(ctx context.Context, s *gridstride.Stream, b gridstride.Buffer[T]) ([]T, error) {
	if h.pinned.Len() == 0 {
		return b.Read(ctx, s, h.data)
	}
	if err := b.ReadAsync(s, h.pinned); err != nil {
		return nil, err
	}
	return h.data, s.Wait(ctx)
}

// endDot is a dot product, by the variant that suits every length.
func endDot[T float](o *Options, size Size) endTask[T] {
	a, b := first[T](o.Data, size.N), second[T](o.Data, size.N)
	p := &dotProblem[T]{ss: &bencher{o: o}, n: size.N, ha: a, hb: b, want: dotReferences(a, b)}
	return endTask[T]{
		inputs: [][]T{a, b},
		load: func(dev *gridstride.Device, _ *gridstride.Stream) (endPlan[T], error) {
			plan, err := dot.NewPlan(dev, dot.Best[T](), size.N, dot.Options{})
			if err != nil {
				return endPlan[T]{}, err
			}
			return endPlan[T]{
				launch: func(s *gridstride.Stream,
					in []gridstride.Buffer[T]) error {
					return plan.Launch(s, in[0], in[1])
				},
				read: func(ctx context.Context, s *gridstride.Stream, _ hostMemory[T]) ([]T, error) {
					v, err := plan.Result(ctx, s)
					return []T{T(v)}, err
				},
				free: plan.Free,
			}, nil
		},
		processor: []processorWay[T]{
			{WayGo, func() []T { return []T{goDot(a, b)} }},
		},
		wrong: func(result []T, onDevice bool) string {
			roundings := size.N
			if onDevice {
				roundings = dotRoundings(dot.Best[T](), size.N)
			}
			_, wrong := p.compare(float64(result[0]), size.N, roundings)
			return wrong
		},
	}
}

// endReduce is the sum of a vector.
func endReduce[T element](o *Options, size Size) endTask[T] {
	x := first[T](o.Data, size.N)
	p := &reduceProblem[T]{host: x}
	p.setCompare()
	return endTask[T]{
		inputs: [][]T{x},
		load: func(dev *gridstride.Device, _ *gridstride.Stream) (endPlan[T], error) {
			plan, err := reduce.NewPlan[T](dev)
			if err != nil {
				return endPlan[T]{}, err
			}
			return endPlan[T]{
				launch: func(s *gridstride.Stream, in []gridstride.Buffer[T]) error {
					return plan.Launch(s, reduce.OpSum, in[0])
				},
				read: func(ctx context.Context, s *gridstride.Stream, _ hostMemory[T]) ([]T, error) {
					v, err := plan.Value(ctx, s)
					return []T{v}, err
				},
				free: plan.Free,
			}, nil
		},
		processor: []processorWay[T]{{WayGo, func() []T { return []T{goSum(x)} }}},
		wrong: func(result []T, onDevice bool) string {
			roundings := size.N
			if onDevice {
				roundings = reduceRoundings(size.N)
			}
			_, wrong := p.compare(reduce.OpSum, result[0], size.N, roundings)
			return wrong
		},
	}
}

// endMatmul is a matrix product, by the fastest variant.
func endMatmul[T float](o *Options, size Size) endTask[T] {
	p := &matmulProblem[T]{ss: &bencher{o: o}, m: size.M, n: size.N, l: size.L,
		ha: first[T](o.Data, size.M*size.N), hb: second[T](o.Data, size.N*size.L)}
	task := endTask[T]{
		inputs:  [][]T{p.ha, p.hb},
		outputs: size.M * size.L,
		load: func(dev *gridstride.Device, _ *gridstride.Stream) (endPlan[T], error) {
			plan, err := matmul.NewPlan(dev, matmul.Best[T]())
			if err != nil {
				return endPlan[T]{}, err
			}
			c, err := gridstride.Make[T](dev, size.M*size.L)
			return endPlan[T]{
				launch: func(s *gridstride.Stream, in []gridstride.Buffer[T]) error {
					return plan.Launch(s, matmul.Matrix[T]{Rows: p.m, Cols: p.n, Data: in[0]},
						matmul.Matrix[T]{Rows: p.n, Cols: p.l, Data: in[1]},
						matmul.Matrix[T]{Rows: p.m, Cols: p.l, Data: c})
				},
				read: func(ctx context.Context, s *gridstride.Stream, to hostMemory[T]) ([]T, error) {
					return to.read(ctx, s, c)
				},
				free: c.Free,
			}, err
		},
		wrong: func(result []T, _ bool) string {
			_, wrong := p.compare(result)
			return wrong
		},
	}
	if loopFits(size) {
		task.processor = append(task.processor, processorWay[T]{WayGo, func() []T {
			p.loop(p.m)
			return p.hc
		}})
	}
	return task
}

// loopFits reports that three loops in Go take a few seconds at most.
func loopFits(size Size) bool {
	return 2*float64(size.M)*float64(size.N)*float64(size.L) <= 16*hostOperations
}
