package bench

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/proof/cublas"
	"github.com/gridstride/gridstride/internal/proof/openblas"
	"github.com/gridstride/gridstride/metric/gpumetric"
)

// vectorsProblem is two vectors from which packages blas or metric compute numbers.
type vectorsProblem[T float] struct {
	ss     *bencher
	ha, hb []T
	a, b   inputs[T]
	out    gridstride.Buffer[T]
	lib    handles[T]
}

func newVectors[T float](ss *bencher, size Size) (_ *problem, err error) {
	bytes := 2 * float64(size.N) * float64(sizeOf[T]())
	if err := ss.fits(bytes); err != nil {
		return nil, err
	}
	p := &vectorsProblem[T]{ss: ss, ha: first[T](ss.o.Data, size.N), hb: second[T](ss.o.Data, size.N)}
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
	if p.lib, err = newHandles[T](ss.s); err != nil {
		return nil, err
	}
	return &problem{candidates: p.candidates(), full: size.N, free: p.free,
		sized: func(n int) Size { return Size{N: n} },
		work:  func(n int) float64 { return 2 * float64(n) * float64(sizeOf[T]()) },
	}, nil
}

func newHandles[T float](s *gridstride.Stream) (h handles[T], err error) {
	if h.blas, err = gpublas.New(s); err != nil {
		return h, err
	}
	if h.metric, err = gpumetric.New(s); err != nil {
		return h, errors.Join(err, h.blas.Close())
	}
	return h, nil
}

func (h *handles[T]) close() error {
	if h.metric == nil {
		return nil
	}
	return errors.Join(h.metric.Close(), h.blas.Close())
}

func (p *vectorsProblem[T]) free() error {
	return errors.Join(p.a.free(), p.b.free(), p.out.Free(), p.lib.close())
}

// candidates are each number on the device and on the processor, with cuBLAS's and OpenBLAS's after
// ours.
func (p *vectorsProblem[T]) candidates() []candidate {
	var all []candidate
	for _, n := range numbersOf[T](p.ss.o.What) {
		all = append(all, p.onDevice(n))
		if p.ss.rival != nil && n.rivals.cublas != nil {
			all = append(all, p.cublas(n))
		}
	}
	if p.ss.rival != nil && p.ss.o.What == "metric" { // cuBLAS has no metrics: a dot product reads as much
		all = append(all, p.cublas(blasNumbers[T]()[0]))
	}
	for _, n := range numbersOf[T](p.ss.o.What) {
		all = append(all, p.onHost(n))
		if n.rivals.openblas != nil {
			all = append(all, p.openBLAS(n))
		}
	}
	return all
}

// share is the part of the vectors that a number reads.
func (n *number[T]) share() float64 {
	if n.one {
		return 0.5
	}
	return 1
}

func (p *vectorsProblem[T]) onDevice(n number[T]) candidate {
	return candidate{variant: n.name, about: "package gpu" + p.ss.o.What, share: n.share(),
		launch: func(_ *gridstride.Stream, i, size int) error {
			return n.device(&p.lib, gpublas.VectorOf(p.a.at(i, size)), gpublas.VectorOf(p.b.at(i, size)), p.out)
		},
		result: func(ctx context.Context, s *gridstride.Stream, size int) (float64, string, error) {
			got, err := read(ctx, s, p.out)
			off, wrong := compareNumber(got, n.reference(p.ha[:size], p.hb[:size]), size)
			return off, wrong, err
		}}
}

func (p *vectorsProblem[T]) onHost(n number[T]) candidate {
	var got T
	return candidate{variant: n.name + "-cpu", about: "package " + p.ss.o.What + ", all cores", share: n.share(),
		host: func(size int) { got = n.host(p.ha[:size], p.hb[:size]) },
		result: func(_ context.Context, _ *gridstride.Stream, size int) (float64, string, error) {
			off, wrong := compareNumber(got, n.reference(p.ha[:size], p.hb[:size]), size)
			return off, wrong, nil
		}}
}

func (p *vectorsProblem[T]) cublas(n number[T]) candidate {
	return p.ss.rival.named(n.name+"-cublas", func(h *cublas.Handle, e *candidate) {
		e.share = n.share()
		e.launch = func(_ *gridstride.Stream, i, size int) error {
			return n.rivals.cublas(h, p.a.at(i, size), p.b.at(i, size), p.out)
		}
		e.result = func(ctx context.Context, s *gridstride.Stream, size int) (float64, string, error) {
			got, err := read(ctx, s, p.out)
			off, wrong := compareNumber(got, n.reference(p.ha[:size], p.hb[:size]), size)
			return off, wrong, err
		}
	})
}

func (p *vectorsProblem[T]) openBLAS(n number[T]) candidate {
	return openBLAS(n.name+"-openblas", func(l *openblas.Library, e *candidate) {
		var got T
		e.share = n.share()
		e.host = func(size int) { got = n.rivals.openblas(l, p.ha[:size], p.hb[:size]) }
		e.result = func(_ context.Context, _ *gridstride.Stream, size int) (float64, string, error) {
			off, wrong := compareNumber(got, n.reference(p.ha[:size], p.hb[:size]), 1000*size) // its order is not known
			return off, wrong, nil
		}
	})
}

// endNumbers are the numbers that are timed end to end, by benchmark: the textbooks' numbers.
var endNumbers = map[string][]string{"blas": {"dot"}, "metric": {"mse", "cosine", "squarednorm"}}

// endNumber is one of the numbers of a benchmark as a whole call.
func endNumber[T float](what, name string) func(o *Options, size Size) endTask[T] {
	return func(o *Options, size Size) endTask[T] {
		for _, n := range numbersOf[T](what) {
			if n.name == name {
				return n.endTask(o, size)
			}
		}
		panic("BUG: no number " + name)
	}
}

func (n number[T]) endTask(o *Options, size Size) endTask[T] {
	x, y := first[T](o.Data, size.N), second[T](o.Data, size.N)
	want := sync.OnceValue(func() sum { return n.reference(x, y) })
	task := endTask[T]{
		inputs: [][]T{x, y},
		load:   n.endPlan,
		processor: []processorWay[T]{
			{WayCore, func() []T { return onOneCore(func() []T { return []T{n.host(x, y)} }) }},
			{WayCores, func() []T { return []T{n.host(x, y)} }},
		},
		wrong: func(result []T, _ bool) string {
			_, wrong := compareNumber(result[0], want(), size.N)
			return wrong
		},
	}
	if n.one {
		task.inputs = task.inputs[:1]
	}
	return task
}

// endPlan makes the libraries ready on a stream.
func (n number[T]) endPlan(dev *gridstride.Device, s *gridstride.Stream) (plan endPlan[T], err error) {
	lib, err := newHandles[T](s)
	if err != nil {
		return plan, err
	}
	out, err := gridstride.Make[T](dev, 1)
	if err != nil {
		return plan, errors.Join(err, lib.close())
	}
	return endPlan[T]{
		launch: func(_ *gridstride.Stream, in []gridstride.Buffer[T]) error {
			return n.device(&lib, gpublas.VectorOf(in[0]), gpublas.VectorOf(in[len(in)-1]), out)
		},
		read: func(ctx context.Context, s *gridstride.Stream, _ hostMemory[T]) ([]T, error) {
			return out.Read(ctx, s, nil)
		},
		free: func() error { return errors.Join(out.Free(), lib.close()) },
	}, nil
}

// onOneCore runs f while Go has one processor.
func onOneCore[T any](f func() T) T {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return f()
}
