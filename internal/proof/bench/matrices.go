package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/proof/accuracy"
	"github.com/gridstride/gridstride/internal/proof/cublas"
	"github.com/gridstride/gridstride/internal/proof/openblas"
)

// matricesProblem is matrices of n by n, and vectors for level 2.
type matricesProblem[T float] struct {
	ss   *bencher
	host operands[T]
	a, b inputs[T]
	out  gridstride.Buffer[T]
	lib  handles[T]
}

func newMatrices[T float](ss *bencher, size Size) (_ *problem, err error) {
	n, batchSize := size.N, max(size.N/16, 1)
	elements := max(float64(n)*float64(n), float64(batch*batchSize*batchSize))
	right := elements
	if ss.o.What == "level2" {
		right = 2 * float64(n)
	}
	bytes := (2*elements + right) * float64(sizeOf[T]())
	if err := ss.fits(bytes); err != nil {
		return nil, err
	}
	p := &matricesProblem[T]{ss: ss, host: operands[T]{n: n, batchSize: batchSize, a: first[T](ss.o.Data, int(elements)),
		b: second[T](ss.o.Data, int(right)), out: make([]T, int(elements))}}
	p.host.t = solvable(n, p.host.a)
	defer func() {
		if err != nil {
			err = errors.Join(err, p.free())
		}
	}()
	if p.a, err = copies(ss.dev, p.host.a, int(bytes)); err != nil {
		return nil, err
	}
	if p.b, err = copies(ss.dev, p.host.b, int(bytes)); err != nil {
		return nil, err
	}
	if p.out, err = gridstride.Make[T](ss.dev, int(elements)); err != nil {
		return nil, err
	}
	if p.lib, err = newHandles[T](ss.s); err != nil {
		return nil, err
	}
	work := float64(n) * float64(n) * float64(sizeOf[T]())
	if kinds[ss.o.What].operations {
		work = 2 * float64(n) * float64(n) * float64(n)
	}
	return &problem{candidates: p.candidates(), full: n, free: p.free,
		sized: func(n int) Size { return Size{N: n} }, work: func(int) float64 { return work }}, nil
}

// solvable is a matrix whose upper triangle has no large inverse.
func solvable[T float](n int, a []T) []T {
	t := make([]T, n*n)
	for i := range n {
		for j := range n {
			t[i*n+j] = a[i*n+j] / T(n)
		}
		t[i*n+i]++
	}
	return t
}

func (p *matricesProblem[T]) free() error {
	return errors.Join(p.a.free(), p.b.free(), p.out.Free(), p.lib.close())
}

// candidates are each operation on the device and on the processor, with cuBLAS's and OpenBLAS's
// after ours.
func (p *matricesProblem[T]) candidates() (all []candidate) {
	for _, op := range operationsOf[T](p.ss.o.What) {
		if op.device == nil {
			continue
		}
		all = append(all, p.onDevice(op, candidate{variant: op.name, about: "package gpublas"},
			func(o *deviceOperands[T]) error { return op.device(p.lib.blas, o) }))
		if p.ss.rival != nil {
			all = append(all, p.ss.rival.named(op.name+"-cublas", func(h *cublas.Handle, e *candidate) {
				*e = p.onDevice(op, *e, func(o *deviceOperands[T]) error { return op.cublas(h, o) })
			}))
		}
	}
	for _, op := range operationsOf[T](p.ss.o.What) {
		all = append(all, p.onHost(op, candidate{variant: op.name + "-cpu", about: "package blas, all cores"}, op.host),
			openBLAS(op.name+"-openblas", func(l *openblas.Library, e *candidate) {
				*e = p.onHost(op, *e, func(o *operands[T]) { op.openblas(l, o) })
			}))
	}
	return all
}

// onDevice completes the row of an operation on the device. Its result begins with zeros.
func (p *matricesProblem[T]) onDevice(op operation[T], e candidate, run func(o *deviceOperands[T]) error) candidate {
	e.share = op.share
	runs := 0
	e.launch = func(s *gridstride.Stream, i, _ int) error {
		if runs == 0 {
			if err := p.out.Fill(s, 0); err != nil {
				return err
			}
		}
		runs++
		return run(&deviceOperands[T]{&p.host, p.a[i%len(p.a)], p.b[i%len(p.b)], p.out})
	}
	e.result = func(ctx context.Context, s *gridstride.Stream, _ int) (float64, string, error) {
		out, err := p.out.Slice(0, op.results(&p.host)).Read(ctx, s, nil)
		off, wrong := p.compare(op, out, runs)
		return off, wrong, err
	}
	return e
}

// onHost completes the row of an operation on the processor. Its result begins with zeros.
func (p *matricesProblem[T]) onHost(op operation[T], e candidate, run func(o *operands[T])) candidate {
	e.share = op.share
	runs := 0
	e.host = func(int) {
		if runs == 0 {
			clear(p.host.out)
		}
		runs++
		run(&p.host)
	}
	e.result = func(context.Context, *gridstride.Stream, int) (float64, string, error) {
		off, wrong := p.compare(op, p.host.out, runs)
		return off, wrong, nil
	}
	return e
}

// compare holds some elements of a result to their references: it gives the largest error, and
// names the first wrong one.
func (p *matricesProblem[T]) compare(op operation[T], out []T, runs int) (worst float64, wrong string) {
	o := p.host
	o.out, o.runs = out, runs
	if len(out) == 0 {
		return 0, ""
	}
	for _, at := range someOf(op.results(&o)) {
		if i, j := at/o.n, at%o.n; op.upper && i > j {
			at = j*o.n + i
		}
		x, y := op.terms(&o, at)
		want, magnitude := accuracy.Dot(x, y)
		got := float64(out[at])
		if op.solves {
			got = float64(o.b[at])
		}
		off, bad := relative(got, want, magnitude, accuracy.Bound[T](2*len(x)+2, len(x), magnitude))
		worst = max(worst, off)
		if bad != "" && wrong == "" {
			wrong = fmt.Sprintf("element %d: %s", at, bad)
		}
	}
	return worst, wrong
}

// someOf returns some of n indices, in order, including the last one.
func someOf(n int) []int {
	const some = 256
	at := []int{n - 1}
	r := rand.New(rand.NewPCG(1, 2))
	for range some {
		at = append(at, r.IntN(n))
	}
	slices.Sort(at)
	return slices.Compact(at)
}
