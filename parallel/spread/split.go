package spread

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gridstride/gridstride"
)

// samples is how many elements of a run are read at a time.
const samples = 1024

// splitter finds where sorted runs are to be cut.
type splitter[T any] struct {
	runs    []int // their lengths
	less    func(a, b T) bool
	samples int
	// read reads elements of run r from first to end that are step apart.
	read func(ctx context.Context, r, first, end, step int) ([]T, error)
}

// splitterOf is for the sorted parts of a vector.
func splitterOf[T any](h *Handle, x []gridstride.Buffer[T], less func(a, b T) bool) *splitter[T] {
	s := &splitter[T]{less: less, samples: samples}
	for _, part := range x {
		s.runs = append(s.runs, part.Len())
	}
	s.read = func(ctx context.Context, r, first, end, step int) ([]T, error) {
		return apart(ctx, h, r, x[r].Slice(first, end), step)
	}
	return s
}

// cut is how many elements of each run are among the first k of all. Equal elements are in the order
// of the runs. Each round reads samples of what is undecided in each run, at equal distances. Of a
// sample, samples tell how many elements of all runs are before it: at least the samples before it
// and what is between them, and at most what is before the next samples.
//
// It is the multiple selection of Varman, Scheufler, Iyer and Ricard, "Merging Multiple Lists on
// Hierarchical-Memory Multiprocessors" (Journal of Parallel and Distributed Computing 1991), with
// samples for its single elements.
func (s *splitter[T]) cut(ctx context.Context, k int) ([]int, error) {
	from, to := make([]int, len(s.runs)), slices.Clone(s.runs)
	for {
		switch {
		case total(from) == k:
			return from, nil
		case total(to) == k:
			return to, nil
		}
		all, step, err := s.sample(ctx, from, to)
		if err != nil {
			return nil, err
		}
		s.decide(all, step, k, from, to)
	}
}

func total(counts []int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// sampled is an element of a run.
type sampled[T any] struct {
	value   T
	run, at int
}

// sample reads elements of what is undecided in each run, step apart, and sorts them.
func (s *splitter[T]) sample(ctx context.Context, from, to []int) (all []sampled[T], step int, err error) {
	for r := range s.runs {
		step = max(step, (to[r]-from[r]+s.samples-1)/s.samples)
	}
	values, errs := make([][]T, len(s.runs)), make([]error, len(s.runs))
	var wg sync.WaitGroup
	for r := range s.runs {
		if from[r] < to[r] {
			wg.Go(func() { values[r], errs[r] = s.read(ctx, r, from[r], to[r], step) })
		}
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, 0, err
	}
	for r, list := range values {
		for i, v := range list {
			all = append(all, sampled[T]{v, r, from[r] + i*step})
		}
	}
	slices.SortFunc(all, func(a, b sampled[T]) int {
		switch {
		case s.less(a.value, b.value):
			return -1
		case s.less(b.value, a.value):
			return 1
		}
		return cmp.Or(a.run-b.run, a.at-b.at)
	})
	return all, step, nil
}

// apart reads elements of rank r's buffer that are step apart.
func apart[T any](ctx context.Context, h *Handle, r int, part gridstride.Buffer[T], step int) ([]T, error) {
	stream := h.group.Stream(r)
	if step > 1 {
		n := (part.Len() + step - 1) / step
		room, err := roomFor[T](h, r, n)
		if err == nil {
			err = gridstride.CopyMatrix(stream, gridstride.Matrix[T]{Data: room, Rows: n, Cols: 1, Stride: 1},
				gridstride.Matrix[T]{Data: part, Rows: n, Cols: 1, Stride: step})
		}
		if err != nil {
			return nil, fmt.Errorf("rank %d: %w", r, err)
		}
		part = room
	}
	got, err := part.Read(ctx, stream, nil)
	if err != nil {
		return nil, fmt.Errorf("rank %d: %w", r, err)
	}
	return got, nil
}

// decide raises from past samples that are surely among the first k of all, and lowers to to samples
// that surely are not.
func (s *splitter[T]) decide(all []sampled[T], step, k int, from, to []int) {
	next := slices.Clone(from) // of each run: its first sample that is not before the present one
	ends := slices.Clone(to)
	low, high := total(from), total(from) // bounds of how many elements are before the present one
	bounds := func(r, first int) (low, high int) {
		if next[r] == first {
			return first, first
		}
		return next[r] - step + 1, min(next[r], ends[r])
	}
	firsts := slices.Clone(from)
	for _, x := range all {
		// Exactly x.at elements of the run of x are before x.
		l, h := bounds(x.run, firsts[x.run])
		before := low - l + x.at
		atMost := high - h + x.at
		switch {
		case atMost < k:
			from[x.run] = x.at + 1
		case before >= k:
			to[x.run] = min(to[x.run], x.at)
		}
		next[x.run] = x.at + step
		l2, h2 := bounds(x.run, firsts[x.run])
		low, high = low+l2-l, high+h2-h
	}
}
