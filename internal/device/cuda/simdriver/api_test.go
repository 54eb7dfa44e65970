//go:build linux

package simdriver

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda/driverapi"
)

// program is a program that calls the driver from one thread, by the names of functions.
type program struct {
	*testing.T
	g *Guest
}

// startProgram makes a driver and a context of it that is current.
func startProgram(t *testing.T) *program {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	p := &program{t, NewGuest(Config{Devices: 1, Version: 13000, Memory: 64 << 20}, func(i int) uintptr { return uintptr(1000 + i) })}
	p.g.Begin()
	p.ok("cuInit", 0)
	var c uintptr
	p.ok("cuCtxCreate_v4", to(&c), 0, 0, 0)
	return p
}

// to is the address of a variable, which it makes one that does not move as those on stacks do.
func to[T any](v *T) uintptr {
	kept.Store(v, true)
	return uintptr(unsafe.Pointer(v))
}

var kept sync.Map

// call calls a function of the driver.
func (p *program) call(name string, args ...uintptr) uintptr {
	p.Helper()
	for i, f := range driverapi.Functions() {
		if f.Name == name {
			var all [driverapi.MaxArgs]uintptr
			copy(all[:], args)
			return p.g.Call(i, &all)
		}
	}
	p.Fatalf("there is no %s", name)
	return 0
}

// ok is call, and fails where the result is an error.
func (p *program) ok(name string, args ...uintptr) {
	p.Helper()
	p.want(0, name, args...)
}

func (p *program) want(result uintptr, name string, args ...uintptr) {
	p.Helper()
	if r := p.call(name, args...); r != result {
		p.Errorf("%s: result %d, want %d", name, r, result)
	}
}

const addPTX = `.version 7.0
.target sm_70
.address_size 64
.visible .entry _Z3addPfi(.param .u64 a, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<4>;
	.reg .f32 %f<3>;
	ld.param.u64 %rd1, [a];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra DONE;
	mul.wide.u32 %rd2, %r5, 4;
	add.u64 %rd3, %rd1, %rd2;
	ld.f32 %f1, [%rd3];
	add.f32 %f2, %f1, 0f3F800000;
	st.f32 [%rd3], %f2;
DONE:
	ret;
}
`

// function loads the kernel that adds 1 to n floats.
func (p *program) function() (f uintptr) {
	p.Helper()
	text := append([]byte(addPTX), 0)
	name := []byte("_Z3addPfi\x00")
	var m uintptr
	p.ok("cuModuleLoadData", to(&m), to(&text[0]))
	p.ok("cuModuleGetFunction", to(&f), m, to(&name[0]))
	return f
}

// launch adds 1 to n floats at an address.
func (p *program) launch(f uintptr, addr uint64, n uint32, stream uintptr) uintptr {
	args := []uintptr{to(&addr), to(&n)}
	return p.call("cuLaunchKernel", f, uintptr(n+63)/64, 1, 1, 64, 1, 1, 0, stream, to(&args[0]), 0)
}

// TestMemoryKinds runs a kernel on memory of the device, on managed and on pinned memory, at the
// addresses that these have on the host, and copies rows between them.
func TestMemoryKinds(t *testing.T) {
	p := startProgram(t)
	f := p.function()
	const n = 101
	for _, kind := range []string{"cuMemAllocManaged", "cuMemHostAlloc", "cuMemAllocHost_v2"} {
		var addr uint64
		p.ok(kind, to(&addr), 4*n, 1)
		mem := unsafe.Slice((*float32)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n)
		mem[n-1] = 41
		if r := p.launch(f, addr, n, 0); r != 0 {
			t.Errorf("%s: the launch returns %d", kind, r)
		}
		p.ok("cuCtxSynchronize")
		if mem[0] != 1 || mem[n-1] != 42 {
			t.Errorf("%s: %g and %g, want 1 and 42", kind, mem[0], mem[n-1])
		}
		free := "cuMemFreeHost"
		if kind == "cuMemAllocManaged" {
			free = "cuMemFree_v2"
		}
		p.ok(free, uintptr(addr))
		p.want(1, free, uintptr(addr))
	}
	var addr, pitch uint64
	p.ok("cuMemAllocPitch_v2", to(&addr), to(&pitch), 10, 3, 4)
	p.ok("cuMemsetD2D8_v2", uintptr(addr), uintptr(pitch), 7, 10, 3)
	back := make([]byte, 3)
	for y := range uintptr(3) {
		p.ok("cuMemcpyDtoH_v2", to(&back[y]), uintptr(addr)+y*uintptr(pitch)+9, 1)
	}
	if !bytes.Equal(back, []byte{7, 7, 7}) {
		t.Errorf("rows end with %v, want sevens", back)
	}
	p.want(1, "cuMemcpyDtoH_v2", to(&back[0]), uintptr(addr)+3*uintptr(pitch)-1, 2)
	p.want(1, "cuMemcpyHtoD_v2", 12345, to(&back[0]), 1)
}

// TestCapture makes a graph of what two streams do, and runs it twice.
func TestCapture(t *testing.T) {
	p := startProgram(t)
	f := p.function()
	var a uint64
	var s1, s2, e, g, x uintptr
	const n = 77
	p.ok("cuMemAlloc_v2", to(&a), 4*n)
	p.ok("cuMemsetD32_v2", uintptr(a), 0, n)
	p.ok("cuStreamCreate", to(&s1), 1)
	p.ok("cuStreamCreate", to(&s2), 1)
	p.ok("cuEventCreate", to(&e), 2)
	p.ok("cuStreamBeginCapture_v2", s1, 0)
	p.launch(f, a, n, s1)
	p.ok("cuEventRecord", e, s1)
	p.ok("cuStreamWaitEvent", s2, e, 0)
	p.launch(f, a, n, s2)
	p.want(900, "cuStreamSynchronize", s1)
	p.want(904, "cuStreamEndCapture", s1, to(&g))

	p.ok("cuStreamBeginCapture_v2", s1, 0)
	p.launch(f, a, n, s1)
	p.ok("cuEventRecord", e, s1)
	p.ok("cuStreamWaitEvent", s2, e, 0)
	p.launch(f, a, n, s2)
	p.ok("cuEventRecord", e, s2)
	p.ok("cuStreamWaitEvent", s1, e, 0)
	p.launch(f, a, n, s1)
	p.ok("cuStreamEndCapture", s1, to(&g))
	var nodes uint64
	p.ok("cuGraphGetNodes", g, 0, to(&nodes))
	p.ok("cuGraphInstantiateWithFlags", to(&x), g, 0)
	p.ok("cuGraphLaunch", x, s1)
	p.ok("cuGraphLaunch", x, s2)
	p.ok("cuCtxSynchronize")
	var last float32
	p.ok("cuMemcpyDtoH_v2", to(&last), uintptr(a)+4*(n-1), 4)
	if nodes != 3 || last != 6 {
		t.Errorf("%d nodes, and twice of them give %g; want 3 and 6", nodes, last)
	}
}

// TestSticky ends a context by a bad access: all later calls in it fail, and another context works.
func TestSticky(t *testing.T) {
	p := startProgram(t)
	f := p.function()
	if r := p.launch(f, 8, 5, 0); r != 0 {
		t.Errorf("the launch itself returns %d", r)
	}
	var a uint64
	p.want(700, "cuCtxSynchronize")
	p.want(700, "cuMemAlloc_v2", to(&a), 4)
	var c uintptr
	p.ok("cuCtxPopCurrent_v2", to(&c))
	p.ok("cuCtxDestroy_v2", c)
	p.want(201, "cuMemAlloc_v2", to(&a), 4)
	p.ok("cuDevicePrimaryCtxRetain", to(&c), 0)
	p.ok("cuCtxPushCurrent_v2", c)
	p.ok("cuMemAlloc_v2", to(&a), 4)
}

// TestProcAddress finds the function of a version.
func TestProcAddress(t *testing.T) {
	p := startProgram(t)
	for _, c := range []struct {
		name          string
		version       uintptr
		want          string
		result, found uintptr
	}{
		{"cuMemAlloc", 2000, "cuMemAlloc", 0, 0},
		{"cuMemAlloc", 12000, "cuMemAlloc_v2", 0, 0},
		{"cuCtxCreate", 11040, "cuCtxCreate_v3", 0, 0},
		{"cuCtxCreate", 13000, "cuCtxCreate_v4", 0, 0},
		{"cuGraphAddNode", 11000, "", 500, 2},
		{"cuNothing", 13000, "", 500, 1},
	} {
		name := append([]byte(c.name), 0)
		var addr uintptr
		var found int32
		p.ok("cuGetProcAddress_v2", to(&name[0]), to(&addr), c.version, 0, to(&found))
		got := ""
		if addr != 0 {
			got = driverapi.Functions()[addr-1000].Name
		}
		if got != c.want || uintptr(found) != c.found {
			t.Errorf("%s of %d is %q (%d), want %q (%d)", c.name, c.version, got, found, c.want, c.found)
		}
		p.want(c.result, "cuGetProcAddress", to(&name[0]), to(&addr), c.version, 0)
	}
}

// TestImages loads what holds no PTX that runs, and PTX that is wrong.
func TestImages(t *testing.T) {
	p := startProgram(t)
	for text, want := range map[string]uintptr{
		"\x7fELF\x02\x01\x01\x00":             209,
		"":                                    218,
		"nonsense":                            218,
		".version 7.0\n.target sm_70\n.entry": 218,
		"\x50\xed\x55\xba\x01\x00\x10\x00\xff\xff\xff\xff\xff\xff\xff\xff": 200,
	} {
		image := append([]byte(text), make([]byte, 16)...)
		var m uintptr
		log := make([]byte, 200)
		options, values := []int32{5, 6}, []uintptr{to(&log[0]), uintptr(len(log))}
		p.want(want, "cuModuleLoadDataEx", to(&m), to(&image[0]), 2, to(&options[0]), to(&values[0]))
		if want == 218 && log[0] == 0 {
			t.Errorf("%q: the log is empty", text)
		}
		runtime.KeepAlive(fmt.Sprint(values, options))
	}
}

// TestForeignThreads calls from sixteen threads at once, each on its own stream.
func TestForeignThreads(t *testing.T) {
	p := startProgram(t)
	f := p.function()
	var c uintptr
	p.ok("cuCtxGetCurrent", to(&c))
	done := make(chan float32)
	const threads, n, times = 16, 65, 20
	for range threads {
		go func() {
			runtime.LockOSThread()
			p.g.Begin()
			p.want(201, "cuCtxSynchronize")
			p.ok("cuCtxSetCurrent", c)
			var a uint64
			var s uintptr
			p.ok("cuStreamCreate", to(&s), 0)
			p.ok("cuMemAlloc_v2", to(&a), 4*n)
			p.ok("cuMemsetD32Async", uintptr(a), 0, n, s)
			for range times {
				p.launch(f, a, n, s)
			}
			var last float32
			p.ok("cuMemcpyDtoHAsync_v2", to(&last), uintptr(a)+4*(n-1), 4, s)
			p.ok("cuStreamDestroy_v2", s)
			p.ok("cuMemFree_v2", uintptr(a))
			done <- last
		}()
	}
	for range threads {
		if last := <-done; last != times {
			t.Errorf("a thread's sum is %g, want %d", last, times)
		}
	}
}
