package comm_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
	"github.com/gridstride/gridstride/internal/device/nccl"
)

// standInEnv, set, makes the tests use a simulated driver with four GPUs, and a stand-in for NCCL. The
// first GPU reaches the others' memory, and they do not reach its. mixedEnv makes them GPUs of
// different kinds. None reaches another, and one is a part of a GPU.
const (
	standInEnv = "GRIDSTRIDE_TEST_STANDIN"
	mixedEnv   = "GRIDSTRIDE_TEST_MIXED"
)

var mixed = []simdriver.Kind{
	{Name: "NVIDIA H200", Capability: [2]int{9, 0}, Alone: true},
	{Name: "NVIDIA A100-SXM4-80GB", Capability: [2]int{8, 0}, Alone: true},
	{Name: "NVIDIA A100-SXM4-80GB MIG 1g.10gb", Capability: [2]int{8, 0}, Alone: true},
	{Name: "NVIDIA L4", Capability: [2]int{8, 9}, Alone: true},
}

func init() {
	config := simdriver.Config{Devices: 4, Version: 13000, Memory: 1 << 30}
	switch {
	case os.Getenv(mixedEnv) != "":
		config.Kinds = mixed
	case os.Getenv(standInEnv) == "":
		return
	}
	d, n, err := simdriver.OpenWithNCCL(config)
	if err != nil {
		panic(err)
	}
	cuda.UseStandIn(d)
	nccl.UseStandIn(nccl.StandIn(n.Lookup))
	standIn = n
}

// TestOnStandIn runs the tests again on the GPU backend, with a simulated driver and a stand-in for
// NCCL.
func TestOnStandIn(t *testing.T) {
	if standIn != nil || onGPU() {
		t.Skip("the tests run on GPUs, or on the stand-in, already")
	}
	t.Parallel()
	out := again(t, standInEnv, "-test.v", "-test.timeout=300s", "-programs=60")
	if n := strings.Count(out, "--- PASS: "); n < 86 {
		t.Errorf("only %d tests ran:\n%s", n, out)
	}
}

// TestOnMixed runs the tests of results again on GPUs of different kinds that do not reach each
// other's memory, with NCCL and without. The results are the same, by copies through the host.
func TestOnMixed(t *testing.T) {
	if standIn != nil || onGPU() {
		t.Skip("the tests run on GPUs, or on the stand-in, already")
	}
	t.Parallel()
	out := again(t, mixedEnv, "-test.v", "-test.timeout=300s", "-test.run=^Test(Programs|Members|Reproducible|JoinPrograms|Ring|Kinds)$", "-programs=40")
	if n := strings.Count(out, "--- PASS: "); n < 60 {
		t.Errorf("only %d tests ran:\n%s", n, out)
	}
}

// TestKinds: GPUs of different kinds make a group, also a part of a GPU. What NCCL refuses, a group
// does without it, and says why; a group of processes is refused, in NCCL's words.
func TestKinds(t *testing.T) {
	if os.Getenv(mixedEnv) == "" {
		t.Skip("is run by TestOnMixed")
	}
	devs := devices(t, len(mixed))
	for i, dev := range devs {
		if got := dev.Info().Name; got != mixed[i].Name {
			t.Errorf("device %d is %q, want %q", i, got, mixed[i].Name)
		}
	}
	const invalidUsage = 5 // what NCCL says of two parts of one GPU
	standIn.Fail("ncclCommInitAll", invalidUsage)
	g := group(t, devs)
	if got := g.NCCL(); !strings.HasPrefix(got, "not used: ncclCommInitAll: ncclInvalidUsage") {
		t.Errorf("NCCL: %q", got)
	}
	x := upload(t, g, slices.Repeat([][]float32{{1, 2, 3}}, len(devs)))
	must(t, comm.AllReduce(g, comm.Sum, x, x))
	for rank := range devs {
		got, err := x[rank].Read(t.Context(), g.Stream(rank), nil)
		if err != nil || !slices.Equal(got, []float32{4, 8, 12}) {
			t.Errorf("rank %d has %v, %v", rank, got, err)
		}
	}
	standIn.Fail("ncclCommInitAll", invalidUsage)
	_, err := comm.NewWith([]*gridstride.Stream{devs[1].Stream(), devs[2].Stream()}, comm.Options{NCCL: comm.Always})
	wantRefusal(t, err, comm.ErrNCCL, "ncclCommInitAll: ncclInvalidUsage")
	standIn.Fail("ncclCommInitRankScalable", invalidUsage)
	_, err = comm.Join(t.Context(), devs[2].Stream(), comm.Rendezvous{Address: place(t).Address, Ranks: 1}, comm.Options{})
	wantRefusal(t, err, comm.ErrNCCL, "ncclCommInitRankScalable: ncclInvalidUsage")
}
