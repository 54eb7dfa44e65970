package gridstride_test

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
)

//go:embed testdata/gpu.ptx
var gpuKernels string

// openGPU opens the device of GRIDSTRIDE_DEVICE. It skips the test if that is not a GPU, and with
// real also if the GPU is simulated.
func openGPU(t testing.TB, real bool) *gridstride.Device {
	t.Helper()
	dev := open(t)
	switch {
	case dev.Info().Backend != "cuda":
		t.Skipf("needs a GPU; this is the %s (%s)", dev.Info().Name, dev.Info().Why)
	case real && dev.Info().Name == "Simulated GPU":
		t.Skip("needs a real GPU")
	}
	return dev
}

// gpuKernel loads a kernel of testdata/gpu.ptx.
func gpuKernel(t testing.TB, dev *gridstride.Device, name string) *gridstride.Kernel {
	t.Helper()
	m, err := dev.Load("gpu.ptx", gpuKernels)
	must(t, err)
	k, err := m.Kernel(name)
	must(t, err)
	return k
}

var one = gridstride.Grid(1).Block(1)

// TestCopyOverlapsKernel copies pinned memory on one stream while a kernel runs on another:
// together they take hardly longer than the longer one.
func TestCopyOverlapsKernel(t *testing.T) {
	dev := openGPU(t, true)
	spin := gpuKernel(t, dev, "spin")
	const n, run = 256 << 20, 10 * time.Millisecond
	b, err := gridstride.Make[byte](dev, n)
	must(t, err)
	defer b.Free()
	p, err := gridstride.MakePinned[byte](dev, n)
	must(t, err)
	defer p.Free()
	computes, copies := dev.NewStream(), dev.NewStream()
	must(t, b.WriteAsync(copies, p)) // touches everything once
	must(t, spin.Launch(computes, one, uint64(1)))
	must(t, errors.Join(copies.Wait(t.Context()), computes.Wait(t.Context())))

	begin := copies.Record()
	must(t, computes.After(begin))
	started := computes.Record()
	must(t, spin.Launch(computes, one, uint64(run)))
	ended := computes.Record()
	must(t, b.WriteAsync(copies, p))
	copied := copies.Record()
	must(t, copies.After(ended))
	all := copies.Record()
	since := func(e, start *gridstride.Event) time.Duration {
		d, err := e.Since(t.Context(), start)
		must(t, err)
		return d
	}
	kernel, transfer, both := since(ended, started), since(copied, begin), since(all, begin)
	t.Logf("kernel %v, copy of %d MiB %v, both %v", kernel, n>>20, transfer, both)
	if both > max(kernel, transfer)*5/4 {
		t.Errorf("a kernel of %v and a copy of %v took %v together", kernel, transfer, both)
	}
}

// TestWaitStallsNobody waits for a long kernel in some goroutines, with and without a context that
// can end, while others launch, wait, copy and make buffers.
func TestWaitStallsNobody(t *testing.T) {
	dev := openGPU(t, true)
	spin := gpuKernel(t, dev, "spin")
	const long = 300 * time.Millisecond
	waits := make(chan error, 2)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, ctx := range []context.Context{context.Background(), ctx} {
		s := dev.NewStream()
		must(t, spin.Launch(s, one, uint64(long)))
		go func() { waits <- s.Wait(ctx) }()
	}
	time.Sleep(time.Millisecond)
	s := dev.NewStream()
	start, rounds := time.Now(), 0
	var slowest time.Duration
	for ; time.Since(start) < long/2; rounds++ {
		at := time.Now()
		b, err := gridstride.CopyOf(dev, []int{1, 2, 3})
		must(t, err)
		must(t, spin.Launch(s, one, uint64(1000)))
		must(t, s.Wait(t.Context()))
		_ = read(t, s, b)
		must(t, b.Free())
		slowest = max(slowest, time.Since(at))
	}
	t.Logf("%d rounds of work beside two waits, the slowest %v", rounds, slowest)
	if slowest > 50*time.Millisecond || len(waits) > 0 {
		t.Errorf("work beside waits took %v at times (%d waits had ended)", slowest, len(waits))
	}
	must(t, errors.Join(<-waits, <-waits))
}

// TestContextEndsWait ends the waits for a kernel that runs on, and looks that a read leaves its
// memory alone.
func TestContextEndsWait(t *testing.T) {
	dev := openGPU(t, true)
	s, spin := dev.NewStream(), gpuKernel(t, dev, "spin")
	b := copyOf(t, dev, ramp(1000))
	must(t, spin.Launch(s, one, uint64(300*time.Millisecond)))
	start := time.Now()
	dst := make([]float32, 1000)
	if _, err := b.Read(soon(t), s, dst); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("read: %v", err)
	}
	if err := s.Wait(soon(t)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("wait: %v", err)
	}
	if d := time.Since(start); d > 200*time.Millisecond {
		t.Errorf("waits that should end after 20ms took %v", d)
	}
	must(t, s.Wait(t.Context()))
	for _, x := range dst {
		if x != 0 {
			t.Fatal("an abandoned read wrote to its memory")
		}
	}
}

// TestSharedMemoryOptIn uses every amount of dynamic shared memory about the limits: of every
// kernel, and of the device.
func TestSharedMemoryOptIn(t *testing.T) {
	dev := openGPU(t, false)
	s, k := dev.NewStream(), gpuKernel(t, dev, "through")
	const threads = 64
	out := copyOf(t, dev, make([]uint32, threads))
	for _, size := range []int{256, 48 << 10, 48<<10 + 4, 100 << 10, dev.Info().MaxShared, 1024} {
		must(t, out.Zero(s))
		must(t, k.Launch(s, gridstride.Grid(1).Block(threads).Shared(size), out, uint32(size)))
		for i, got := range read(t, s, out) {
			if got != uint32((i+1)%threads) {
				t.Fatalf("%d bytes of shared memory: thread %d read %d", size, i, got)
			}
		}
	}
	err := k.Launch(s, one.Shared(dev.Info().MaxShared+4), out, uint32(4))
	if !errors.Is(err, gridstride.ErrLimit) {
		t.Errorf("too much shared memory: %v", err)
	}
}

// TestMemoryExhausted asks for more than there is, and then for what there is.
func TestMemoryExhausted(t *testing.T) {
	dev := openGPU(t, false)
	if _, err := gridstride.Make[byte](dev, 1<<46); !errors.Is(err, gridstride.ErrOutOfMemory) {
		t.Errorf("64 TiB: %v", err)
	}
	half := int(dev.Info().Memory / 2)
	for range 3 { // each only fits if the last was given back
		b, err := gridstride.Make[byte](dev, half+half/2)
		must(t, err)
		if _, err := gridstride.Make[byte](dev, half); !errors.Is(err, gridstride.ErrOutOfMemory) {
			t.Errorf("a buffer beyond the memory: %v", err)
		}
		must(t, b.Free())
	}
}

// TestGPUInfo looks at the facts of the device.
func TestGPUInfo(t *testing.T) {
	info := openGPU(t, false).Info()
	t.Logf("%+v", info)
	if info.Memory <= 0 || info.Multiprocessors <= 0 || info.MaxThreads < 512 || info.MaxShared < 48<<10 || info.Capability == "" ||
		!strings.HasPrefix(info.Driver, "CUDA ") || info.MaxGrid.X < 65535 || info.WarpSize != 32 || info.Why == "" {
		t.Errorf("%+v", info)
	}
}

// TestDriverRefusesPTX loads what only the driver's compiler finds wrong: its complaint is given
// the line of the source.
func TestDriverRefusesPTX(t *testing.T) {
	dev := openGPU(t, true)
	_, err := dev.Load("odd.ptx", `.version 7.0
.target sm_70
.address_size 64
.file 1 "sum.go"
.visible .entry k()
{
	.reg .b32 %r<3>;
	.loc 1 7 3
	bfe.u32 %r1, %r2, 300, 2;
	ret;
}
`)
	t.Log(err)
	for _, part := range []string{"line 9", "from sum.go:7:3", "PTX: bfe.u32 %r1, %r2, 300, 2;"} {
		if !errors.Is(err, gridstride.ErrModule) || !strings.Contains(err.Error(), part) {
			t.Errorf("the error is without %q: %v", part, err)
		}
	}
}

// TestClosedEvents drops events without a wait and lets the garbage collector have them, while
// others are used.
func TestClosedEvents(t *testing.T) {
	dev := open(t)
	s, k := dev.NewStream(), kernel(t, dev, "nothing")
	for range 20 {
		for range 50 {
			_ = s.Record()
		}
		must(t, k.Launch(s, one))
		start := s.Record()
		runtime.GC()
		d, err := s.Record().Since(t.Context(), start)
		must(t, err)
		if d < 0 {
			t.Errorf("an event happened %v before an earlier one", -d)
		}
	}
}

// TestLostDevice runs, in its own process, a kernel that traps and one that writes beyond its
// memory: the first call after it says so, later ones are refused, and opening the device anew
// works or is refused with the reason.
func TestLostDevice(t *testing.T) {
	const child = "GRIDSTRIDE_TEST_LOSE"
	if name := os.Getenv(child); name != "" {
		loseDevice(t, name)
		return
	}
	openGPU(t, false)
	for _, name := range []string{"trap", "wild"} {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLostDevice$", "-test.v", "-test.timeout=60s")
		c.Env = append(os.Environ(), child+"="+name)
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestLostDevice") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "says:") {
				t.Log(strings.TrimSpace(line))
			}
		}
	}
}

func loseDevice(t *testing.T, name string) {
	dev, err := gridstride.Open()
	must(t, err)
	s := dev.NewStream()
	b, err := gridstride.CopyOf(dev, ramp(10))
	must(t, err)
	must(t, kernel(t, dev, "nothing").Launch(s, one))
	must(t, s.Wait(t.Context()))
	if name == "trap" {
		must(t, kernel(t, dev, "trap").Launch(s, one))
	} else {
		must(t, kernel(t, dev, "raw").Launch(s, one, uint64(16), uint32(7)))
		name = "raw"
	}
	err = s.Wait(t.Context())
	t.Logf("the first wait says: %v", err)
	var failure *gridstride.KernelError
	if !errors.As(err, &failure) || failure.Kernel != name || !errors.Is(err, gridstride.ErrLost) {
		t.Errorf("the wait after %s: %v", name, err)
	}
	_, readErr := b.Read(t.Context(), s, nil)
	_, makeErr := gridstride.Make[int](dev, 1)
	for _, err := range []error{
		readErr, makeErr, s.Wait(t.Context()), b.Zero(s), dev.Stream().Wait(t.Context()), s.Record().Wait(t.Context()),
	} {
		if !errors.Is(err, gridstride.ErrLost) || errors.As(err, &failure) {
			t.Errorf("a call on a lost device: %v", err)
		}
	}
	t.Logf("later calls say: %v", readErr)
	_ = b.Free()
	if err := dev.Close(); err != nil {
		t.Errorf("close: %v", err)
	}

	again, err := gridstride.Open()
	if err != nil {
		t.Logf("opened anew it says: %v", err)
		if !errors.Is(err, gridstride.ErrLost) {
			t.Errorf("open anew: %v", err)
		}
		return
	}
	if err := work(t.Context(), again, again.Stream(), 33); err != nil {
		t.Errorf("the device opened anew: %v", err)
	}
	must(t, again.Close())
	t.Logf("opened anew it says: %v works", again)
}
