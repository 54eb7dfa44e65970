package gpublas_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gputest"
)

// refusal is a call that is refused with an error of a kind, whose text contains says.
type refusal struct {
	err  error
	kind error
	text string
}

func (b *bench[T]) refused(all []refusal) {
	b.Helper()
	for _, c := range all {
		if !errors.Is(c.err, c.kind) || !strings.Contains(c.err.Error(), c.text) {
			b.Errorf("error %v, want %q, of the kind %v", c.err, c.text, c.kind)
		}
	}
}

func TestLevel1Refused(t *testing.T) {
	t.Parallel()
	b := newBench[float32](t, gputest.Device(t))
	data := b.buffer(make([]float32, 10))
	index, err := gridstride.Make[int](b.dev, 1)
	must(t, err)
	none := gridstride.Buffer[float32]{}
	v := func(from, n, inc int) gpublas.Vector[float32] {
		return gpublas.Vector[float32]{Data: data.Slice(from, 10), N: n, Inc: inc}
	}
	_, dotErr := gpublas.Dot(t.Context(), b.h, v(0, 5, 1), v(0, 4, 1))
	at, indexErr := gpublas.ArgMin(t.Context(), b.h, v(0, 3, 0))
	if at != -1 {
		t.Errorf("the place is %d beside an error", at)
	}
	_, emptyErr := gpublas.Min(t.Context(), b.h, v(0, 0, 1))
	b.refused([]refusal{
		{dotErr, gpublas.ErrShape, "gpublas: Dot: x has 5 elements and y has 4"},
		{gpublas.DotTo(b.h, v(0, 3, 1), v(0, 3, 1), none), gpublas.ErrShort, "gpublas: Dot: the buffer for the result has 0 elements, too few for 1"},
		{gpublas.Axpy(b.h, 1, v(0, -1, 1), v(0, -1, 1)), gpublas.ErrShape, "gpublas: Axpy: x has -1 elements"},
		{gpublas.SumTo(b.h, v(1, 10, 1), data), gpublas.ErrShort, "gpublas: Sum: the buffer of x has 9 elements, too few for 10 with an increment of 1"},
		{gpublas.Nrm2To(b.h, v(0, 4, -4), data), gpublas.ErrShort, "too few for 4 with an increment of -4"},
		{gpublas.SumTo(b.h, v(0, 3, 1<<62), data), gpublas.ErrShort, "too few for 3"},
		{indexErr, gpublas.ErrIncrement, "gpublas: ArgMin: the increment of x is 0"},
		{gpublas.IamaxTo(b.h, v(0, 3, 1), index.Slice(0, 0)), gpublas.ErrShort, "too few for 1"},
		{emptyErr, gpublas.ErrEmpty, "gpublas: Min: the vector has no elements"},
		{gpublas.Axpy(b.h, 1, v(0, 5, 1), v(4, 5, 1)), gpublas.ErrOverlap, "gpublas: Axpy: x, 5 elements with an increment of 1, overlaps with y, 5 elements"},
		{gpublas.Swap(b.h, v(0, 3, 2), v(2, 3, 2)), gpublas.ErrOverlap, "overlaps"},
		{gpublas.Copy(b.h, v(0, 3, 3), v(1, 3, -2)), gpublas.ErrOverlap, "overlaps"},
		{gpublas.RotBy(b.h, v(0, 3, 1), v(3, 3, 1), data.Slice(2, 4)), gpublas.ErrOverlap, "x, 3 elements with an increment of 1, overlaps with rotation"},
		{gpublas.RotBy(b.h, v(0, 3, 1), v(3, 3, 1), data.Slice(9, 10)), gpublas.ErrShort, "rotation has 1 elements"},
		{gpublas.Rotg(b.h, data, data, data.Slice(1, 4)), gpublas.ErrShort, "too few for 4"},
		{gpublas.Rotg(b.h, data, data.Slice(3, 4), data.Slice(1, 5)), gpublas.ErrOverlap, "overlaps with a or b"},
	})
	must(t, errors.Join(
		gpublas.Swap(b.h, v(0, 5, 2), v(1, 5, 2)), // the vectors overlap
		gpublas.Axpy(b.h, 1, v(0, 5, 1), v(5, 5, 1)),
		gpublas.Axpy(b.h, 1, v(3, 0, 1), v(3, 0, 1)),
		index.Free()))
}

// TestDevices has buffers that are freed, and of another device.
func TestDevices(t *testing.T) {
	t.Parallel()
	b := newBench[float64](t, gputest.Device(t))
	other := gputest.Device(t)
	far, err1 := gridstride.CopyOf(other, []float64{1, 2})
	freed, err2 := gridstride.CopyOf(b.dev, []float64{1, 2})
	must(t, errors.Join(err1, err2, freed.Free()))
	near := b.buffer([]float64{1, 2})
	_, farErr := gpublas.Dot(t.Context(), b.h, gpublas.VectorOf(near), gpublas.VectorOf(far))
	b.refused([]refusal{
		{farErr, gridstride.ErrWrongDevice, "gpublas: Dot: "},
		{gpublas.Axpy(b.h, 1, gpublas.VectorOf(freed), gpublas.VectorOf(near)), gridstride.ErrFreed, "gpublas: Axpy: "},
		{gpublas.SumTo(b.h, gpublas.VectorOf(near), freed), gridstride.ErrFreed, "gpublas: Sum: "},
	})
	must(t, far.Free())
	closed, err := gpublas.New(b.dev.Stream())
	must(t, errors.Join(err, closed.Close(), closed.Close()))
	b.refused([]refusal{
		{gpublas.Scal(closed, 2, gpublas.VectorOf(near)), gridstride.ErrClosed, "gpublas: Scal: the handle is closed"},
	})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gpublas.Sum(ended, b.h, gpublas.VectorOf(near)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestGoroutines has more of them wait than there are places for results.
func TestGoroutines(t *testing.T) {
	t.Parallel()
	b := newBench[float32](t, gputest.Device(t))
	var all sync.WaitGroup
	for i := range 50 {
		x := gpublas.VectorOf(b.buffer([]float32{float32(i), 1}))
		all.Go(func() {
			if got, err := gpublas.Dot(t.Context(), b.h, x, x); err != nil || got != float32(i*i+1) {
				t.Errorf("Dot is %v, %v, want %d", got, err, i*i+1)
			}
		})
	}
	all.Wait()
}
