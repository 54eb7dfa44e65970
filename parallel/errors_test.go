package parallel_test

import (
	"errors"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/parallel"
)

type below struct{ limit int32 }

func (b below) Holds(x int32) bool { return x < b.limit }

// TestErrors calls functions with what they refuse.
func TestErrors(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.NewStream()
	defer s.Close()
	w, err := parallel.New(s)
	check(err)
	x, err := gridstride.CopyOf(dev, []int32{1, 2, 3})
	check(err)
	defer x.Free()
	y, err := gridstride.Make[int32](dev, 2)
	check(err)
	defer y.Free()
	count, err := gridstride.Make[int](dev, 1)
	check(err)
	defer count.Free()
	none := gridstride.Buffer[int32]{}
	for want, got := range map[string]error{
		"parallel: InclusiveScan: dst has 2 elements; want 3": parallel.InclusiveSum(w, y, x),
		"parallel: Unique: dst and src overlap":               parallel.Unique(w, x, x, parallel.Equals[int32]{}, count),
		"parallel: Unique: dst has 0 elements; want 1":        parallel.Unique(w, none, x, parallel.Equals[int32]{}, count),
		"parallel: Merge: dst has 2 elements; want 5":         parallel.Merge(w, y, x, y, parallel.Ascending[int32]{}),
		"parallel: LowerBound: dst has 1 elements; want 3":    parallel.LowerBound(w, count, x, x, parallel.Ascending[int32]{}),
		"parallel: SortPairs: values has 2 elements; want 3":  parallel.SortPairs(w, x, y), //gpu:allow vet the sizes are refused before a kernel is asked for
		"parallel: Select: it is not compiled for these types: write //gpu:instance parallel.Select[int32,parallel_test.below], with the names that the types have there, in their package, and run gridstride build": parallel.Select(w, y, x, below{}, count), //gpu:allow vet its error is what is tested
	} {
		if got == nil || got.Error() != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
	if err := parallel.Select(w, y, x, below{}, count); !errors.Is(err, gridstride.ErrNoKernel) {
		t.Error(err)
	}
	check(w.Close())
	check(w.Close())
	if err := parallel.Sort(w, x); !errors.Is(err, gridstride.ErrClosed) {
		t.Error(err)
	}
}

// TestShort gives a selection too little room: the kernel fails.
func TestShort(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open(gridstride.Use("sim"))
	check(err)
	defer dev.Close()
	s := dev.NewStream()
	w, err := parallel.New(s)
	check(err)
	x, err := gridstride.CopyOf(dev, []int32{1, 2, 3, 3})
	check(err)
	y, err := gridstride.CopyOf(dev, []int32{9, 9, 9})
	check(err)
	count, err := gridstride.Make[int](dev, 1)
	check(err)
	check(parallel.Unique(w, y.Slice(0, 2), x, parallel.Equals[int32]{}, count))
	var failed *gridstride.KernelError
	if err := s.Wait(t.Context()); !errors.As(err, &failed) {
		t.Errorf("%v, want a kernel's failure", err)
	}
}
