package comm_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/gpu"
)

// ncclStandIn has the questions that tests ask the stand-in for NCCL.
type ncclStandIn interface {
	Fail(name string, result int)
	Calls() []string
	Comms() int
}

// standIn is nil without one.
var standIn ncclStandIn

// onStandIn skips a test that only TestOnStandIn runs.
func onStandIn(t *testing.T) {
	t.Helper()
	if standIn == nil {
		t.Skip("needs the stand-in for NCCL")
	}
	standIn.Calls()
}

// withNCCL is a group of n GPUs that uses NCCL.
func withNCCL(t *testing.T, n int) *comm.Group {
	t.Helper()
	if !onGPU() {
		t.Skip("needs GPUs: GRIDSTRIDE_DEVICE=cuda")
	}
	devs := devices(t, n)
	if len(devs) < n {
		t.Skipf("%d GPUs", len(devs))
	}
	g := group(t, devs)
	if !strings.HasPrefix(g.NCCL(), "NCCL ") {
		t.Skip(g.NCCL())
	}
	return g
}

// numbers gives each rank a vector: 1, 2, ... times the rank plus 1.
func vectors[T ~float32 | ~float64 | ~int16 | ~int32 | ~uint64](t *testing.T, g *comm.Group, n int) []gridstride.Buffer[T] {
	t.Helper()
	host := make([][]T, g.Ranks())
	for rank := range host {
		for i := range n {
			host[rank] = append(host[rank], T((i+1)*(rank+1)))
		}
	}
	return upload(t, g, host)
}

// TestNCCLChosen: a group says what it uses, and Always says why it cannot.
func TestNCCLChosen(t *testing.T) {
	devs := devices(t, 2)
	off := groupWith(t, devs, comm.Options{NCCL: comm.Never})
	if got := off.NCCL(); got != "not used: Options.NCCL is Never" {
		t.Errorf("Never: %q", got)
	}
	if got := group(t, devs[:1]).NCCL(); got != "not used: the group has one rank" {
		t.Errorf("one rank: %q", got)
	}
	_, err := comm.NewWith([]*gridstride.Stream{devs[0].Stream()}, comm.Options{NCCL: 3})
	wantRefusal(t, err, comm.ErrNCCL, "Options.NCCL is 3; want IfFound, Never or Always")
	if !onGPU() {
		_, err = comm.NewWith([]*gridstride.Stream{devs[0].Stream(), devs[1].Stream()}, comm.Options{NCCL: comm.Always})
		wantRefusal(t, err, comm.ErrNCCL, "comm: New: rank 0 is on "+devs[0].String()+", which is no GPU")
		return
	}
	twin, err := gridstride.Open(gridstride.Use(devs[0].Info().Use))
	must(t, err)
	defer func() { must(t, twin.Close()) }()
	_, err = comm.NewWith([]*gridstride.Stream{devs[0].Stream(), twin.Stream()}, comm.Options{NCCL: comm.Always})
	wantRefusal(t, err, comm.ErrNCCL, "ranks 0 and 1 are both on GPU 0")
	if standIn == nil {
		return
	}
	if got := group(t, devs).NCCL(); got != "NCCL 2.28.9 (a stand-in)" {
		t.Errorf("two ranks: %q", got)
	}
	standIn.Fail("ncclCommInitAll", 2)
	if got := group(t, devs).NCCL(); got != "not used: ncclCommInitAll: ncclSystemError: error 2 of the stand-in: the last words" {
		t.Errorf("NCCL does not start: %q", got)
	}
}

// TestNCCLOneRank uses NCCL for one GPU.
func TestNCCLOneRank(t *testing.T) {
	if !onGPU() {
		t.Skip("needs a GPU: GRIDSTRIDE_DEVICE=cuda")
	}
	devs := devices(t, 1)
	g, err := comm.NewWith([]*gridstride.Stream{devs[0].NewStream()}, comm.Options{NCCL: comm.Always})
	if errors.Is(err, comm.ErrNCCL) {
		t.Skip(err)
	}
	must(t, err)
	defer func() { must(t, g.Close()) }()
	t.Log(g.NCCL())
	a, b := vectors[float32](t, g, 1000), vectors[float32](t, g, 1000)
	must(t, b[0].Zero(g.Stream(0)))
	must(t, comm.AllReduce(g, comm.Sum, b, a))
	got, err := b[0].Read(t.Context(), g.Stream(0), nil)
	must(t, err)
	if got[0] != 1 || got[999] != 1000 {
		t.Errorf("the sum of one rank begins with %v and ends with %v", got[0], got[999])
	}
	must(t, g.Wait(t.Context()))
}

// TestNCCLTakes: NCCL is given what has the same bits in its order, and nothing else.
func TestNCCLTakes(t *testing.T) {
	onStandIn(t)
	devs := devices(t, 3)
	for _, c := range []struct {
		ranks    int
		anyOrder bool
		call     func(g *comm.Group) error
		want     string
	}{
		{2, false, sums[float32](t, comm.Sum), "ncclAllReduce 0 ncclAllReduce 1"},
		{2, false, sums[float64](t, comm.Prod), "ncclAllReduce 0 ncclAllReduce 1"},
		{2, false, sums[gpu.BFloat16](t, comm.Sum), "ncclAllReduce 0 ncclAllReduce 1"},
		{2, false, sums[gpu.BFloat16](t, comm.Prod), ""},
		{2, true, sums[gpu.Float16](t, comm.Prod), "ncclAllReduce 0 ncclAllReduce 1"},
		{2, false, sums[float32](t, comm.Min), ""},
		{2, true, sums[float64](t, comm.Max), ""},
		{3, false, sums[float32](t, comm.Sum), ""},
		{3, true, sums[float32](t, comm.Sum), "ncclAllReduce 0 ncclAllReduce 1 ncclAllReduce 2"},
		{3, false, sums[int32](t, comm.Min), "ncclAllReduce 0 ncclAllReduce 1 ncclAllReduce 2"},
		{2, true, sums[int16](t, comm.Sum), ""},
		{2, true, sums[uint16](t, comm.Max), ""},
		{2, false, func(g *comm.Group) error { x := vectors[int16](t, g, 4); return comm.Broadcast(g, 1, x) }, "ncclBroadcast 0 ncclBroadcast 1"},
		{2, false, func(g *comm.Group) error { x := vectors[int16](t, g, 0); return comm.Broadcast(g, 1, x) }, ""},
		{2, false, func(g *comm.Group) error {
			x := vectors[int32](t, g, 4)
			return comm.Reduce(g, comm.Sum, 1, x[1], x)
		}, "ncclReduce 0 ncclReduce 1"},
		{2, false, func(g *comm.Group) error {
			return comm.ReduceScatter(g, comm.Sum, vectors[int32](t, g, 2), vectors[int32](t, g, 4))
		}, "ncclReduceScatter 0 ncclReduceScatter 1"},
		{2, false, func(g *comm.Group) error {
			return comm.AllGather(g, vectors[int32](t, g, 4), vectors[int32](t, g, 2))
		}, "ncclAllGather 0 ncclAllGather 1"},
		{2, false, func(g *comm.Group) error {
			return comm.AllToAll(g, vectors[int32](t, g, 4), vectors[int32](t, g, 4))
		}, "ncclSend 0 ncclRecv 0 ncclSend 0 ncclRecv 0 ncclSend 1 ncclRecv 1 ncclSend 1 ncclRecv 1"},
		{3, false, func(g *comm.Group) error {
			x := vectors[int32](t, g, 4)
			return comm.Send(g, 2, 0, x[0], x[2])
		}, "ncclSend 2 ncclRecv 0"},
	} {
		g := groupWith(t, devs[:c.ranks], comm.Options{AnyOrder: c.anyOrder})
		standIn.Calls()
		must(t, c.call(g))
		if got := strings.Join(standIn.Calls(), " "); got != c.want {
			t.Errorf("%d ranks, any order %t: %q, want %q", c.ranks, c.anyOrder, got, c.want)
		}
		must(t, g.Wait(t.Context()))
	}
}

// sums reduces vectors of T.
func sums[T comm.Number](t *testing.T, op comm.Op) func(g *comm.Group) error {
	return func(g *comm.Group) error {
		x := upload(t, g, slices.Repeat([][]T{make([]T, 5)}, g.Ranks()))
		return comm.AllReduce(g, op, x, x)
	}
}

// TestNCCLErrors has each call of NCCL's fail: the error names the call and the result, the group is
// aborted, and gives back its communicators.
func TestNCCLErrors(t *testing.T) {
	onStandIn(t)
	devs := devices(t, 2)
	for result, name := range map[int]string{1: "ncclUnhandledCudaError", 3: "ncclInternalError", 6: "ncclRemoteError", 42: "ncclResult_t 42"} {
		for _, call := range []string{"ncclGroupStart", "ncclAllReduce", "ncclGroupEnd"} {
			before := standIn.Comms()
			g := group(t, devs)
			x := vectors[float32](t, g, 9)
			standIn.Fail(call, result)
			err := comm.AllReduce(g, comm.Sum, x, x)
			failure, ok := errors.AsType[*comm.NCCLError](err)
			if !ok || failure.Call != call || failure.Result.Error() != name || int(failure.Result) != result ||
				failure.Detail != fmt.Sprintf("error %d of the stand-in: the last words", result) {
				t.Errorf("%s fails with %d: %v", call, result, err)
			}
			wantRefusal(t, err, comm.ErrAborted, "comm: AllReduce: the group was aborted: ")
			wantRefusal(t, comm.Broadcast(g, 0, x), comm.ErrAborted, name)
			wantRefusal(t, g.Wait(t.Context()), comm.ErrAborted, name)
			if n := standIn.Comms(); n != before {
				t.Errorf("%d communicators are left", n-before)
			}
			must(t, g.Close())
		}
	}
}

// TestNCCLHostile has goroutines use a group while NCCL fails and the group is aborted and closed at
// random times: every call ends, with an error of these kinds, and no communicator stays.
func TestNCCLHostile(t *testing.T) {
	onStandIn(t)
	devs := devices(t, 3)
	before := standIn.Comms()
	kinds := map[string]int{}
	for seed := range uint64(*programs) {
		r := rand.New(rand.NewPCG(seed, 35))
		g := group(t, devs[:2+r.IntN(2)])
		x, y := vectors[int32](t, g, 50), vectors[int32](t, g, 50)
		calls := []func() error{
			func() error { return comm.AllReduce(g, comm.Max, y, x) },
			func() error { return comm.Broadcast(g, 1, y) },
			func() error { return comm.Send(g, 0, 1, y[1], x[0]) },
			func() error { return g.Wait(t.Context()) },
		}
		events := []func() error{
			func() error {
				standIn.Fail([]string{"ncclBroadcast", "ncclGroupEnd", "async"}[r.IntN(3)], 1+r.IntN(6))
				return nil
			},
			g.Abort, g.Close, func() error { return nil },
		}
		event, pause := events[r.IntN(len(events))], time.Duration(r.IntN(300))*time.Microsecond
		var all sync.WaitGroup
		errs := make(chan error, 100)
		for range 3 {
			order := r.Perm(12)
			all.Go(func() {
				for _, k := range order {
					errs <- calls[k%len(calls)]()
				}
			})
		}
		time.Sleep(pause)
		errs <- event()
		all.Wait()
		must(t, g.Close())
		standIn.Fail("async", 0)
		standIn.Fail("ncclBroadcast", 0)
		standIn.Fail("ncclGroupEnd", 0)
		close(errs)
		for err := range errs {
			switch {
			case err == nil:
				kinds["none"]++
			case errors.Is(err, comm.ErrAborted):
				kinds["aborted"]++
			case errors.Is(err, gridstride.ErrClosed):
				kinds["closed"]++
			default:
				t.Fatalf("program %d: %v", seed, err)
			}
		}
	}
	t.Logf("errors: %v", kinds)
	if n := standIn.Comms(); n != before {
		t.Errorf("%d communicators are left", n-before)
	}
}

// TestNCCLFindsLater has NCCL find an error while a collective waits: the wait ends with it.
func TestNCCLFindsLater(t *testing.T) {
	onStandIn(t)
	g := withNCCL(t, 2)
	x := vectors[float32](t, g, 9)
	release := make(chan struct{})
	must(t, g.Stream(1).LaunchHostFunc(func() { <-release }))
	must(t, comm.AllReduce(g, comm.Sum, x, x))
	done := g.Stream(0).Record()
	standIn.Fail("async", 6)
	waited := make(chan error)
	go func() { waited <- g.Wait(t.Context()) }()
	must(t, done.Wait(t.Context())) // rank 0 goes on although rank 1 has not come
	close(release)
	err := <-waited
	wantRefusal(t, err, comm.ErrAborted, "rank 0: ncclCommGetAsyncError: ncclRemoteError")
	if failure, ok := errors.AsType[*comm.NCCLError](err); !ok || failure.Result != 6 {
		t.Errorf("the error %v is none of NCCL's", err)
	}
}

// TestNCCLAbort aborts a collective that one rank does not come to, when a context ends.
func TestNCCLAbort(t *testing.T) {
	g := withNCCL(t, 2)
	x := vectors[float32](t, g, 1000)
	must(t, comm.AllReduce(g, comm.Sum, x, x))
	must(t, g.Wait(t.Context()))
	release := make(chan struct{})
	must(t, g.Stream(1).LaunchHostFunc(func() { <-release }))
	must(t, comm.AllReduce(g, comm.Sum, x, x))
	late := g.Stream(0).Record()
	ctx, cancel := context.WithCancel(t.Context())
	aborted := make(chan error)
	context.AfterFunc(ctx, func() { aborted <- g.Abort() })
	time.Sleep(20 * time.Millisecond)
	if done, err := late.Done(); done || err != nil {
		t.Errorf("rank 0 is done: %t, %v; want it to wait for rank 1", done, err)
	}
	cancel()
	if standIn != nil { // NCCL itself may want the other rank's kernel to begin before it has aborted
		must(t, late.Wait(t.Context()))
	}
	close(release)
	must(t, <-aborted)
	must(t, g.Abort())
	wantRefusal(t, g.Wait(t.Context()), comm.ErrAborted, "comm: Wait: the group was aborted: by Abort")
	wantRefusal(t, comm.Broadcast(g, 0, x), comm.ErrAborted, "comm: Broadcast: the group was aborted: by Abort")
	must(t, g.Stream(0).Wait(t.Context())) // the streams go on
}

// TestAbort aborts a group without NCCL.
func TestAbort(t *testing.T) {
	parallel(t)
	g := groupWith(t, devices(t, 2), comm.Options{NCCL: comm.Never})
	x := vectors[float32](t, g, 9)
	must(t, g.Abort())
	wantRefusal(t, comm.AllReduce(g, comm.Sum, x, x), comm.ErrAborted, "comm: AllReduce: the group was aborted: by Abort")
	wantRefusal(t, g.Wait(t.Context()), comm.ErrAborted, "by Abort")
	must(t, g.Close())
	wantRefusal(t, comm.AllReduce(g, comm.Sum, x, x), gridstride.ErrClosed, "the group is closed")
}

// failsEnv, set, makes TestNCCLRankFails lose a GPU, in another process.
const failsEnv = "GRIDSTRIDE_TEST_FAILS"

// TestNCCLRankFails loses the GPU of rank 1 while rank 0 waits for it in NCCL: the wait ends, and
// names the rank.
func TestNCCLRankFails(t *testing.T) {
	g := withNCCL(t, 2)
	if os.Getenv(failsEnv) == "" {
		out := again(t, failsEnv, "-test.run=^TestNCCLRankFails$", "-test.v", "-test.timeout=60s")
		if !strings.Contains(out, "the wait has ended") {
			t.Errorf("no GPU failed:\n%s", out)
		}
		return
	}
	x := vectors[float32](t, g, 1<<20)
	must(t, comm.AllReduce(g, comm.Sum, x, x))
	must(t, g.Wait(t.Context()))
	m, err := g.Stream(1).Device().Load("trap.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry stop() { trap; }\n")
	must(t, err)
	k, err := m.Kernel("stop")
	must(t, err)
	must(t, k.Launch(g.Stream(1), gridstride.Grid(1).Block(1)))
	err = comm.AllReduce(g, comm.Sum, x, x) // which may see the failure, or be queued before it
	t.Logf("the call: %v", err)
	err = g.Wait(t.Context())
	if !errors.Is(err, comm.ErrAborted) || !strings.Contains(err.Error(), "rank 1: ") {
		fmt.Printf("the wait: %v; want ErrAborted, and rank 1\n", err)
		os.Exit(1)
	}
	fmt.Printf("the wait has ended: %v\n", err)
	os.Exit(0) // a lost GPU takes nothing back
}

// again runs this test binary in another process with an environment variable set.
func again(t *testing.T, env string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), env+"=1", "GRIDSTRIDE_DEVICE=cuda")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, failures(string(out)))
	}
	return string(out)
}

// failures leaves out of a verbose output the tests that passed.
func failures(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "=== ") && !strings.Contains(line, "--- PASS") && !strings.Contains(line, "--- SKIP") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
