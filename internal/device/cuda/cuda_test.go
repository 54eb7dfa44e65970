package cuda

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// addPTX adds its parameter to each word of a buffer; empty does nothing; spin runs for a number of
// nanoseconds.
const addPTX = `.version 6.0
.target sm_50
.address_size 64

.visible .entry add(.param .u64 buf, .param .u32 n, .param .u32 x)
{
	.reg .pred %p<2>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [buf];
	ld.param.u32 %r1, [n];
	ld.param.u32 %r2, [x];
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %tid.x;
	mad.lo.s32 %r6, %r3, %r4, %r5;
	setp.ge.u32 %p1, %r6, %r1;
	@%p1 bra done;
	mul.wide.u32 %rd2, %r6, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r7, [%rd3];
	add.s32 %r7, %r7, %r2;
	st.global.u32 [%rd3], %r7;
done:
	ret;
}

.visible .entry empty()
{
	ret;
}

.visible .entry spin(.param .u64 ns)
{
	.reg .pred %p<2>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [ns];
	mov.u64 %rd2, %globaltimer;
loop:
	mov.u64 %rd3, %globaltimer;
	sub.s64 %rd4, %rd3, %rd2;
	setp.lt.u64 %p1, %rd4, %rd1;
	@%p1 bra loop;
	ret;
}
`

// device opens the first GPU and skips the test if there is none.
func device(t testing.TB) *Context {
	t.Helper()
	d, err := Open()
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	c, err := d.Retain(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Release(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestOpenWithoutDriver(t *testing.T) {
	d, err := Open()
	if err == nil {
		t.Skipf("there is a driver: %s, CUDA %s", d.Path(), d.Version())
	}
	if !errors.Is(err, ErrNoDriver) {
		t.Errorf("error does not match ErrNoDriver: %v", err)
	}
	var lib *LibraryError
	if errors.As(err, &lib) && len(lib.Tried) == 0 && len(libraryPaths()) > 0 {
		t.Error("the error does not say where the library was looked for")
	}
}

func TestErrors(t *testing.T) {
	err := error(&Error{Result: OutOfMemory, Op: "cuMemAlloc_v2", Object: "8 bytes on device 0"})
	if want := "cuMemAlloc_v2 8 bytes on device 0: CUDA_ERROR_OUT_OF_MEMORY (no room on the device)"; err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	if !errors.Is(err, OutOfMemory) {
		t.Error("an Error does not match its Result")
	}
	if got := Result(12345).Name(); got != "CUDA_ERROR_12345" {
		t.Errorf("unknown result: %s", got)
	}
	e := &SymbolError{Name: "cuMemAllocAsync", Needs: 11020, Driver: 10010}
	if want := "the driver supports CUDA 10.1 and has no cuMemAllocAsync: a driver for CUDA 11.2 or newer is needed"; e.Error() != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
}

func TestMissingSymbol(t *testing.T) {
	c := device(t)
	var e *SymbolError
	if err := c.call(&proc{name: "cuNoSuchFunction", needs: 99000}, object{}); !errors.As(err, &e) || e.Name != "cuNoSuchFunction" {
		t.Errorf("got %v", err)
	}
}

func TestLaunch(t *testing.T) {
	c := device(t)
	m := must(c.LoadModule([]byte(addPTX), false))(t)
	f := must(c.Function(m, "add"))(t)
	s := must(c.NewStream())(t)
	defer c.DestroyStream(s)
	defer c.UnloadModule(m)
	for _, n := range []int{1, 31, 33, 1000, 100_003} {
		buf := must(c.AllocAsync(int64(4*n), s))(t)
		host := must(c.AllocHost(int64(4 * n)))(t)
		for i := range n {
			binary.LittleEndian.PutUint32(host[4*i:], uint32(i))
		}
		if err := c.CopyIn(buf, host, s); err != nil {
			t.Fatal(err)
		}
		launchAdd(t, c, f, s, buf, n, 7)
		out := must(c.AllocHost(int64(4 * n)))(t)
		if err := c.CopyOut(out, buf, s); err != nil {
			t.Fatal(err)
		}
		if err := c.WaitStream(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if got := binary.LittleEndian.Uint32(out[4*i:]); got != uint32(i+7) {
				t.Fatalf("n=%d: element %d is %d, want %d", n, i, got, i+7)
			}
		}
		for _, err := range []error{c.FreeAsync(buf, s), c.FreeHost(host), c.FreeHost(out)} {
			if err != nil {
				t.Error(err)
			}
		}
	}
}

func launchAdd(t testing.TB, c *Context, f Function, s Stream, buf DevicePtr, n, x int) {
	t.Helper()
	p := NewParams(16)
	binary.LittleEndian.PutUint64(p.Bytes[0:], uint64(buf))
	binary.LittleEndian.PutUint32(p.Bytes[8:], uint32(n))
	binary.LittleEndian.PutUint32(p.Bytes[12:], uint32(x))
	if err := c.Launch(f, [3]uint32{uint32(n+255) / 256, 1, 1}, [3]uint32{256, 1, 1}, 0, s, p); err != nil {
		t.Fatal(err)
	}
}

// Goroutines move between OS threads, and each thread has its own current context: concurrent
// launches must each find the right one.
func TestLaunchFromManyGoroutines(t *testing.T) {
	c := device(t)
	m := must(c.LoadModule([]byte(addPTX), false))(t)
	f := must(c.Function(m, "add"))(t)
	defer c.UnloadModule(m)
	const goroutines, launches, n = 32, 50, 1000
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			s, err := c.NewStream()
			if err != nil {
				t.Error(err)
				return
			}
			defer c.DestroyStream(s)
			buf, err := c.AllocAsync(4*n, s)
			if err != nil {
				t.Error(err)
				return
			}
			c.Fill(buf, 0, 4*n, s)
			for range launches {
				launchAdd(t, c, f, s, buf, n, 1)
				time.Sleep(time.Microsecond)
			}
			out := make([]byte, 4*n)
			if err := errors.Join(c.CopyOut(out, buf, s), c.WaitStream(context.Background(), s), c.FreeAsync(buf, s)); err != nil {
				t.Error(err)
			}
			for i := range n {
				if got := binary.LittleEndian.Uint32(out[4*i:]); got != launches {
					t.Errorf("element %d is %d, want %d", i, got, launches)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestRefusedPTXHasLog(t *testing.T) {
	c := device(t)
	before, after, _ := strings.Cut(addPTX, "add.s32 %r7, %r7, %r2")
	_, err := c.LoadModule([]byte(before+"add.s32 %r7, %r99, %r2"+after), false)
	line := fmt.Sprintf("line %d;", 1+strings.Count(before, "\n"))
	var e *Error
	if !errors.As(err, &e) || e.Result != InvalidPTX || !strings.Contains(e.Log, line) || !strings.Contains(e.Log, "%r99") {
		t.Errorf("want CUDA_ERROR_INVALID_PTX with a log that names %s and %%r99, got %v", line, err)
	}
}

func TestOutOfMemoryThenFine(t *testing.T) {
	c := device(t)
	s := must(c.NewStream())(t)
	defer c.DestroyStream(s)
	for _, alloc := range []func(int64) (DevicePtr, error){c.Alloc, func(n int64) (DevicePtr, error) { return c.AllocAsync(n, s) }} {
		if _, err := alloc(1 << 50); !errors.Is(err, OutOfMemory) {
			t.Errorf("a petabyte: want CUDA_ERROR_OUT_OF_MEMORY, got %v", err)
		}
		if err := c.Free(must(alloc(1 << 20))(t)); err != nil {
			t.Error(err)
		}
	}
}

func TestWaitEndsWithContext(t *testing.T) {
	c := device(t)
	m := must(c.LoadModule([]byte(addPTX), false))(t)
	f := must(c.Function(m, "spin"))(t)
	s := must(c.NewStream())(t)
	p := NewParams(8)
	binary.LittleEndian.PutUint64(p.Bytes[:], uint64(300*time.Millisecond))
	if err := c.Launch(f, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 0, s, p); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := c.WaitStream(ctx, s); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 200*time.Millisecond {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	if err := errors.Join(c.WaitStream(context.Background(), s), c.DestroyStream(s), c.UnloadModule(m)); err != nil {
		t.Error(err)
	}
}

func TestLaunchDoesNotAllocate(t *testing.T) {
	c := device(t)
	m := must(c.LoadModule([]byte(addPTX), false))(t)
	f := must(c.Function(m, "empty"))(t)
	s := must(c.NewStream())(t)
	if n := testing.AllocsPerRun(1000, func() { launchEmpty(t, c, f, s) }); n != 0 {
		t.Errorf("%v allocations a launch", n)
	}
	if err := errors.Join(c.WaitStream(context.Background(), s), c.DestroyStream(s), c.UnloadModule(m)); err != nil {
		t.Error(err)
	}
}

func launchEmpty(t testing.TB, c *Context, f Function, s Stream) {
	p := NewParams(0)
	if err := c.Launch(f, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 0, s, p); err != nil {
		t.Fatal(err)
	}
}

func TestEventsKeepTime(t *testing.T) {
	c := device(t)
	m := must(c.LoadModule([]byte(addPTX), false))(t)
	f := must(c.Function(m, "spin"))(t)
	s := must(c.NewStream())(t)
	start, end := must(c.NewEvent())(t), must(c.NewEvent())(t)
	p := NewParams(8)
	binary.LittleEndian.PutUint64(p.Bytes[:], uint64(5*time.Millisecond))
	err := errors.Join(c.Record(start, s), c.Launch(f, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 0, s, p), c.Record(end, s), c.WaitEvent(context.Background(), end))
	if err != nil {
		t.Fatal(err)
	}
	if d := must(c.Elapsed(start, end))(t); d < 4500*time.Microsecond || d > 50*time.Millisecond {
		t.Errorf("a kernel of 5ms took %v", d)
	}
	if err := errors.Join(c.DestroyEvent(start), c.DestroyEvent(end), c.DestroyStream(s), c.UnloadModule(m)); err != nil {
		t.Error(err)
	}
}

// BenchmarkLaunch is the time of one launch in a loop of 10,000, with the wait for the last.
// docs/measurements compares it with CUDA C++.
func BenchmarkLaunch(b *testing.B) {
	c := device(b)
	m := must(c.LoadModule([]byte(addPTX), false))(b)
	f := must(c.Function(m, "empty"))(b)
	s := must(c.NewStream())(b)
	b.ReportAllocs()
	for b.Loop() {
		launchEmpty(b, c, f, s)
	}
	if err := errors.Join(c.WaitStream(context.Background(), s), c.DestroyStream(s), c.UnloadModule(m)); err != nil {
		b.Error(err)
	}
}

func TestCString(t *testing.T) {
	if got := cString([]byte("NVIDIA\x00junk")); got != "NVIDIA" {
		t.Errorf("got %q", got)
	}
	if got := cString(bytes.Repeat([]byte("x"), 4)); got != "xxxx" {
		t.Errorf("unterminated: %q", got)
	}
	if unsafe.Offsetof(Params{}.Bytes) != 0 {
		t.Error("the driver reads the parameter block from its start")
	}
}

func TestPTXVersion(t *testing.T) {
	for _, c := range []struct {
		driver Version
		want   string
		known  bool
	}{
		{13000, "9.0", true}, {12060, "8.5", true}, {11040, "7.4", true}, {9000, "6.0", true}, {99010, "9.1", false}, {7000, "0.0", false},
	} {
		got, known := c.driver.PTX()
		if got.String() != c.want || known != c.known {
			t.Errorf("CUDA %s: PTX %s, known %v; want %s, %v", c.driver, got, known, c.want, c.known)
		}
	}
	if v := (PTXVersion{8, 5}); !v.Less(PTXVersion{9, 0}) || !v.Less(PTXVersion{8, 6}) || v.Less(v) {
		t.Error("the order of PTX versions")
	}
}
