package comm_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/gputest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func onGPU() bool { return strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") }

// parallel makes a test parallel on simulated devices. On GPUs the tests run one after the other:
// TestWaitEnds and TestSendWaits hold up a stream by a host function, and calls of other tests that
// the driver lets wait for all streams, as it may when it loads a module, keep the call waiting that
// the host function's end depends on.
func parallel(t *testing.T) {
	t.Helper()
	if !onGPU() {
		t.Parallel()
	}
}

// devices opens n simulated devices without the checks, or GPUs. It opens fewer where the machine has
// fewer GPUs.
func devices(t testing.TB, n int) (devs []*gridstride.Device) {
	t.Helper()
	for i := range n {
		use := "sim"
		if onGPU() {
			use = fmt.Sprintf("cuda:%d", i)
		}
		dev, err := gridstride.Open(gridstride.Use(use))
		if i > 0 && errors.Is(err, gridstride.ErrNoDevice) {
			break
		}
		must(t, err)
		t.Cleanup(func() { must(t, dev.Close()) })
		devs = append(devs, dev)
	}
	return devs
}

// checkedDevices opens n simulated devices with every check on.
func checkedDevices(t testing.TB, n int) (devs []*gridstride.Device) {
	t.Helper()
	if onGPU() {
		return devices(t, n)
	}
	for range n {
		devs = append(devs, gputest.Device(t))
	}
	return devs
}

// group makes a group of a new stream of each device.
func group(t testing.TB, devs []*gridstride.Device) *comm.Group {
	t.Helper()
	return groupWith(t, devs, comm.Options{})
}

func groupWith(t testing.TB, devs []*gridstride.Device, o comm.Options) *comm.Group {
	t.Helper()
	var streams []*gridstride.Stream
	for _, dev := range devs {
		streams = append(streams, dev.NewStream())
	}
	g, err := comm.NewWith(streams, o)
	must(t, err)
	t.Cleanup(func() {
		must(t, g.Close())
		for _, s := range streams {
			s.Close()
		}
	})
	return g
}

// upload copies a slice to each rank of a group. free frees the buffers.
func upload[T any](t testing.TB, g *comm.Group, host [][]T) (all []gridstride.Buffer[T]) {
	t.Helper()
	for rank, h := range host {
		b, err := gridstride.CopyOf(g.Stream(rank).Device(), h)
		must(t, err)
		all = append(all, b)
	}
	t.Cleanup(func() {
		for _, b := range all {
			must(t, b.Free())
		}
	})
	return all
}

func wantRefusal(t *testing.T, err, kind error, text string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want %q, of the kind %v", err, text, kind)
	}
}

// TestNewRefused makes groups of streams that are none.
func TestNewRefused(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	s := devs[0].Stream()
	_, err := comm.New()
	wantRefusal(t, err, comm.ErrGroup, "comm: New: 0 streams; want 1 to 64")
	_, err = comm.New(make([]*gridstride.Stream, 65)...)
	wantRefusal(t, err, comm.ErrGroup, "comm: New: 65 streams; want 1 to 64")
	_, err = comm.New(s, nil)
	wantRefusal(t, err, comm.ErrGroup, "the stream of rank 1 is nil")
	_, err = comm.New(s, devs[0].NewStream())
	wantRefusal(t, err, comm.ErrGroup, "comm: New: ranks 0 and 1 are both on "+devs[0].String())
	if onGPU() {
		sim, err := gridstride.Open(gridstride.Use("sim"))
		must(t, err)
		_, err = comm.New(s, sim.Stream())
		wantRefusal(t, err, comm.ErrGroup, "comm: New: rank 0 is on "+devs[0].String()+" and rank 1 on "+sim.String())
		must(t, sim.Close())
	}
}

// TestRefused calls with what does not fit the group: each call names the rank and what is wrong,
// and changes nothing.
func TestRefused(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	g := group(t, devs)
	a, b := upload(t, g, [][]int32{{1, 2, 3, 4}, {5, 6, 7, 8}}), upload(t, g, [][]int32{{0, 0, 0, 0}, {0, 0, 0, 0}})
	type buffers = []gridstride.Buffer[int32]
	swapped, uneven, odd := buffers{a[1], a[0]}, buffers{a[0], a[1].Slice(0, 3)}, buffers{a[0].Slice(0, 3), a[1].Slice(0, 3)}
	halves := buffers{b[0].Slice(0, 2), b[1].Slice(0, 2)}
	shifted := buffers{a[0].Slice(1, 3), a[1].Slice(1, 3)}
	for _, c := range []struct {
		err, kind error
		text      string
	}{
		{comm.AllReduce(g, comm.Sum, b, a[:1]), comm.ErrRank, "comm: AllReduce: src has 1 buffers; want 2, one for each rank"},
		{comm.AllReduce(g, comm.Sum, nil, a), comm.ErrRank, "comm: AllReduce: dst has 0 buffers; want 2"},
		{comm.AllReduce(g, comm.Sum, b, swapped), gridstride.ErrWrongDevice, "comm: AllReduce: src of rank 0: "},
		{comm.AllReduce(g, comm.Sum, b, uneven), comm.ErrSize, "comm: AllReduce: src of rank 1 has 3 elements; want 4"},
		{comm.AllReduce(g, comm.Sum, odd, a), comm.ErrSize, "comm: AllReduce: dst of rank 0 has 3 elements; want 4"},
		{comm.AllReduce(g, comm.Sum, shifted, buffers{a[0].Slice(0, 2), a[1].Slice(0, 2)}), comm.ErrOverlap, "comm: AllReduce: dst and src of rank 0 overlap"},
		{comm.AllReduce(g, 4, b, a), comm.ErrOp, "comm: AllReduce: operation 4; want Sum, Prod, Min or Max"},
		{comm.ReduceScatter(g, comm.Sum, b, a), comm.ErrSize, "comm: ReduceScatter: dst of rank 0 has 4 elements; want 2"},
		{comm.ReduceScatter(g, comm.Sum, halves, odd), comm.ErrSize, "comm: ReduceScatter: src has 3 elements; want a multiple of 2"},
		{comm.ReduceScatter(g, comm.Sum, shifted, a), comm.ErrOverlap, "comm: ReduceScatter: dst and src of rank 0 overlap"},
		{comm.Reduce(g, comm.Sum, 2, b[0], a), comm.ErrRank, "comm: Reduce: root is 2; want 0 to 1"},
		{comm.Reduce(g, comm.Sum, 1, b[0], a), gridstride.ErrWrongDevice, "comm: Reduce: dst of rank 1: "},
		{comm.Broadcast(g, -1, a), comm.ErrRank, "comm: Broadcast: root is -1; want 0 to 1"},
		{comm.Broadcast(g, 0, uneven), comm.ErrSize, "comm: Broadcast: buffers of rank 1 has 3 elements; want 4"},
		{comm.AllGather(g, b, a), comm.ErrSize, "comm: AllGather: src of rank 0 has 4 elements; want 2"},
		{comm.AllGather(g, a, shifted), comm.ErrOverlap, "comm: AllGather: dst and src of rank 0 overlap"},
		{comm.AllToAll(g, a, a), comm.ErrOverlap, "comm: AllToAll: dst and src of rank 0 overlap"},
		{comm.AllToAll(g, b, odd), comm.ErrSize, "comm: AllToAll: src has 3 elements; want a multiple of 2"},
		{comm.Send(g, 0, 0, b[0], a[0]), comm.ErrRank, "comm: Send: from rank 0 to itself"},
		{comm.Send(g, 0, 2, b[0], a[0]), comm.ErrRank, "comm: Send: to is 2; want 0 to 1"},
		{comm.Send(g, 0, 1, b[1].Slice(0, 3), a[0]), comm.ErrSize, "comm: Send: dst of rank 1 has 3 elements; want 4"},
	} {
		wantRefusal(t, c.err, c.kind, c.text)
	}
	must(t, g.Wait(t.Context()))
	for rank, s := range []*gridstride.Stream{g.Stream(0), g.Stream(1)} {
		got, err := a[rank].Read(t.Context(), s, nil)
		must(t, err)
		if want := []int32{1, 2, 3, 4}[rank] + int32(rank)*3; got[0] != want {
			t.Errorf("rank %d begins with %d after refusals, want %d", rank, got[0], want)
		}
	}
}

// TestClosed uses a group that is closed, and one with a device that is closed.
func TestClosed(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	last, err := gridstride.Open(gridstride.Use(devs[0].Info().Use))
	must(t, err)
	g, err := comm.New(devs[0].NewStream(), last.NewStream())
	must(t, err)
	a, err := gridstride.CopyOf(devs[0], []float32{1, 2})
	must(t, err)
	b, err := gridstride.CopyOf(last, []float32{3, 4})
	must(t, err)
	must(t, b.Free())
	both := []gridstride.Buffer[float32]{a, b}
	wantRefusal(t, comm.AllReduce(g, comm.Sum, both, both), gridstride.ErrFreed, "comm: AllReduce: src of rank 1: ")
	must(t, last.Close())
	wantRefusal(t, comm.AllReduce(g, comm.Sum, both, both), gridstride.ErrClosed, "comm: AllReduce: src of rank 1: ")
	wantRefusal(t, g.Wait(t.Context()), gridstride.ErrClosed, "comm: rank 1: ")
	must(t, g.Close())
	wantRefusal(t, comm.Broadcast(g, 0, both), gridstride.ErrClosed, "comm: Broadcast: the group is closed")
	must(t, errors.Join(g.Close(), a.Free()))
}

// TestWaitEnds ends a wait while a host function holds up one rank.
func TestWaitEnds(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	g := group(t, devs)
	late := len(devs) - 1
	host := make([][]int64, len(devs))
	for rank := range host {
		host[rank] = []int64{int64(rank), 7}
	}
	a := upload(t, g, host)
	must(t, comm.AllReduce(g, comm.Min, a, a)) // a driver may wait for all streams when it loads the kernel
	must(t, g.Wait(t.Context()))
	release := make(chan struct{})
	must(t, g.Stream(late).LaunchHostFunc(func() { <-release }))
	must(t, comm.AllReduce(g, comm.Sum, a, a))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantRefusal(t, g.Wait(ctx), context.Canceled, "comm: rank 0: ")
	close(release)
	must(t, g.Wait(t.Context()))
	got, err := a[0].Read(t.Context(), g.Stream(0), nil)
	must(t, err)
	if want := []int64{0, 7 * int64(len(devs))}; !slices.Equal(got, want) {
		t.Errorf("the result is %v, want %v", got, want)
	}
}

// TestSendWaits sends what the sender's stream has yet to write.
func TestSendWaits(t *testing.T) {
	parallel(t)
	devs := devices(t, 2)
	if len(devs) < 2 {
		t.Skip("one GPU")
	}
	g := group(t, devs)
	a := upload(t, g, [][]int32{{1, 2, 3}, {4, 5, 6}})
	must(t, comm.Send(g, 0, 1, a[1], a[0])) // a driver may wait for all streams when the devices first meet
	must(t, g.Wait(t.Context()))
	release := make(chan struct{})
	must(t, g.Stream(0).LaunchHostFunc(func() { <-release }))
	must(t, a[0].Fill(g.Stream(0), 9))
	must(t, comm.Send(g, 0, 1, a[1], a[0]))
	sent := g.Stream(1).Record()
	time.Sleep(20 * time.Millisecond) // a copy that does not wait has run by now
	if done, err := sent.Done(); done || err != nil {
		t.Errorf("the copy is done: %t, %v; want it to wait for the sender", done, err)
	}
	close(release)
	got, err := a[1].Read(t.Context(), g.Stream(1), nil)
	must(t, err)
	if !slices.Equal(got, []int32{9, 9, 9}) {
		t.Errorf("rank 1 has %v, want [9 9 9]", got)
	}
}

// TestKernelFails has a kernel fail on one rank before a reduction: nothing hangs, and the wait names
// the rank.
func TestKernelFails(t *testing.T) {
	parallel(t)
	if onGPU() {
		t.Skip("a trap leaves the GPU unusable for the process")
	}
	g := group(t, devices(t, 3))
	a := upload(t, g, [][]float64{{1, 2}, {3, 4}, {5, 6}})
	m, err := g.Stream(1).Device().Load("trap.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry stop() { trap; }\n")
	must(t, err)
	k, err := m.Kernel("stop")
	must(t, err)
	must(t, k.Launch(g.Stream(1), gridstride.Grid(1).Block(1)))
	must(t, comm.AllReduce(g, comm.Sum, a, a))
	err = g.Wait(t.Context())
	if failure, ok := errors.AsType[*gridstride.KernelError](err); !ok || failure.Kernel != "stop" || !strings.HasPrefix(err.Error(), "comm: rank 1: ") {
		t.Errorf("wait: %v; want the failure of rank 1", err)
	}
	must(t, g.Wait(t.Context()))
}
