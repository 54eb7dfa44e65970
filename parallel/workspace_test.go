package parallel

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEpochs starts over when all numbers of launches are used.
func TestEpochs(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.NewStream()
	w, err := New(s)
	must(t, err)
	n := 9000
	host := make([]int32, n)
	for i := range host {
		host[i] = int32(i)
	}
	x, err := gridstride.Make[int32](dev, n)
	must(t, err)
	for k := range 4 {
		if k == 1 {
			w.epoch = lastEpoch - 1
		}
		must(t, x.Fill(s, 1))
		must(t, ExclusiveSum(w, x, x))
		got, err := x.Read(t.Context(), s, nil)
		must(t, err)
		if !slices.Equal(got, host) {
			t.Fatalf("launch %d, epoch %d: wrong sums", k, w.epoch)
		}
	}
	if w.epoch > 4 {
		t.Errorf("the epoch is %d", w.epoch)
	}
	must(t, x.Free())
	must(t, w.Close())
	must(t, s.Close())
}

// TestGoroutines has 16 goroutines use one workspace.
func TestGoroutines(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.NewStream()
	w, err := New(s)
	must(t, err)
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() { useAll(t, dev, w, 100+300*g) })
	}
	all.Wait()
	must(t, w.Close())
	must(t, s.Close())
}

// useAll sorts, scans and adds n numbers.
func useAll(t *testing.T, dev *gridstride.Device, w *Workspace, n int) {
	ctx := context.Background()
	host := make([]int32, n)
	for i := range host {
		host[i] = int32(n - i)
	}
	x, err := gridstride.CopyOf(dev, host)
	if err != nil {
		t.Error(err)
		return
	}
	defer x.Free()
	sum, err := Sum(ctx, w, x)
	if err != nil || sum != int32(n*(n+1)/2) {
		t.Errorf("the sum to %d is %d, %v", n, sum, err)
	}
	if err := Sort(w, x); err != nil {
		t.Error(err)
	}
	if err := InclusiveSum(w, x, x); err != nil {
		t.Error(err)
	}
	got, err := x.Read(ctx, w.Stream(), nil)
	if err != nil || got[n-1] != sum || got[1] != 3 {
		t.Errorf("the sums to %d end with %v, %v", n, got[n-1:], err)
	}
}
