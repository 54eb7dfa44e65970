//go:build linux

package simdriver

import (
	"encoding/hex"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// sharedVar gives a process that a test starts what it shares: a handle, in hexadecimal.
const sharedVar = "GRIDSTRIDE_TEST_SHARED"

// counted is memory of the driver's that holds 0, 1, 2 and so on.
func (p *program) counted(n uintptr) uintptr {
	p.Helper()
	var addr uintptr
	p.ok("cuMemAlloc_v2", to(&addr), n)
	p.fill(addr, n)
	return addr
}

func (p *program) fill(addr, n uintptr) {
	p.Helper()
	host := make([]byte, n)
	for i := range host {
		host[i] = byte(i)
	}
	p.ok("cuMemcpyHtoD_v2", addr, to(unsafe.SliceData(host)), n)
}

// bytes are n bytes of the device.
func (p *program) bytes(addr, n uintptr) []byte {
	p.Helper()
	host := make([]byte, n)
	p.ok("cuMemcpyDtoH_v2", to(unsafe.SliceData(host)), addr, n)
	return host
}

// TestShareMemory gives the handle of an allocation to another process, which reads it and writes it;
// this one sees what that one wrote, with what it had before in the rest.
func TestShareMemory(t *testing.T) {
	p := startProgram(t)
	if text := os.Getenv(sharedVar); text != "" {
		p.useShared(text)
		return
	}
	const n = 5001
	addr := p.counted(n)
	var h, again ipcHandle
	p.ok("cuIpcGetMemHandle", to(&h), addr+7)
	p.ok("cuIpcGetMemHandle", to(&again), addr)
	if h != again {
		t.Errorf("two handles of one allocation: %v and %v", h, again)
	}
	var there uintptr
	p.want(201, "cuIpcOpenMemHandle_v2", to(&there), to(&h), 1) // in the process that has it
	text := hex.EncodeToString(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)))
	cmd := exec.Command(os.Args[0], "-test.run", "^TestShareMemory$")
	cmd.Env = append(os.Environ(), sharedVar+"="+text)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "no tests") {
		t.Fatalf("%v\n%s", err, out)
	}
	got := p.bytes(addr, n)
	for i, b := range got {
		want := byte(i)
		if i == 5000 {
			want = 77
		}
		if b != want {
			t.Fatalf("byte %d is %d after the other process, want %d", i, b, want)
		}
	}
	p.ok("cuMemFree_v2", addr)
	p.want(1, "cuIpcGetMemHandle", to(&h), addr)
}

// useShared is the other process.
func (p *program) useShared(text string) {
	var h, none ipcHandle
	if _, err := hex.Decode(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)), []byte(text)); err != nil {
		p.Fatal(err)
	}
	var addr, again uintptr
	p.want(1, "cuIpcOpenMemHandle_v2", to(&addr), to(&none), 1)
	p.ok("cuIpcOpenMemHandle_v2", to(&addr), to(&h), 1)
	p.ok("cuIpcOpenMemHandle_v2", to(&again), to(&h), 1)
	if addr != again {
		p.Errorf("opened at %#x and at %#x", addr, again)
	}
	for i, b := range p.bytes(addr, 5000) {
		if b != byte(i) {
			p.Fatalf("byte %d is %d, want %d", i, b, byte(i))
		}
	}
	p.ok("cuMemsetD8_v2", addr+5000, 77, 1)
	p.ok("cuIpcCloseMemHandle", addr)
	p.ok("cuIpcCloseMemHandle", again)
	p.want(1, "cuIpcCloseMemHandle", addr)
	h.inode++
	p.want(1, "cuIpcOpenMemHandle_v2", to(&addr), to(&h), 1)
}

// TestShareWhileContextsEnd asks for handles in eight threads, each of which ends its context at once: no
// thread waits for another one for ever, and no handle of freed memory is given.
func TestShareWhileContextsEnd(t *testing.T) {
	p := startProgram(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for range 500 {
				var c, addr uintptr
				var h ipcHandle
				if p.call("cuCtxCreate_v4", to(&c), 0, 0, 0) != 0 || p.call("cuMemAlloc_v2", to(&addr), 5001) != 0 ||
					p.call("cuIpcGetMemHandle", to(&h), addr) != 0 || p.call("cuMemFree_v2", addr) != 0 {
					t.Error("a call failed")
				}
				if r := p.call("cuIpcGetMemHandle", to(&h), addr); r != 1 {
					t.Errorf("the handle of freed memory: %d", r)
				}
				if p.call("cuMemAlloc_v2", to(&addr), 77) != 0 || p.call("cuIpcGetMemHandle", to(&h), addr) != 0 ||
					p.call("cuCtxDestroy_v2", c) != 0 {
					t.Error("a call failed")
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("threads wait for one another")
	}
}

// TestVirtualMemory maps two pieces of memory next to each other, copies over their border, maps one of
// them at a second place too, and takes them away again.
func TestVirtualMemory(t *testing.T) {
	p := startProgram(t)
	prop := allocProp{kind: 1, handles: posixHandle, location: location{onDevice, 0}}
	var size, place, a, b uintptr
	p.ok("cuMemGetAllocationGranularity", to(&size), to(&prop), 0)
	p.want(1, "cuMemCreate", to(&a), size+1, to(&prop), 0)
	p.want(2, "cuMemCreate", to(&a), size<<20, to(&prop), 0)
	p.want(1, "cuMemAddressReserve", to(&place), size-1, 0, 0, 0)
	p.ok("cuMemCreate", to(&a), size, to(&prop), 0)
	p.ok("cuMemCreate", to(&b), size, to(&prop), 0)
	p.ok("cuMemAddressReserve", to(&place), 3*size, 4*size, 0, 0)
	if place%(4*size) != 0 {
		t.Errorf("reserved at %#x", place)
	}
	p.ok("cuMemMap", place, size, 0, a, 0)
	p.want(1, "cuMemMap", place, size, 0, b, 0)
	access := accessDesc{location{onDevice, 0}, 3}
	p.want(1, "cuMemsetD8_v2", place, 1, size) // before it may be reached
	p.ok("cuMemSetAccess", place, size, to(&access), 1)
	p.fill(place, size)
	p.ok("cuMemMap", place+size, size, 0, b, 0)
	p.ok("cuMemSetAccess", place+size, size, to(&access), 1)
	p.fill(place+size-10, 20)
	p.ok("cuMemMap", place+2*size, size, 0, a, 0)
	p.ok("cuMemSetAccess", place, 3*size, to(&access), 1)
	if got := p.bytes(place+3*size-10, 10); got[0] != 0 || got[9] != 9 {
		t.Errorf("the second place of the first piece ends with %v", got)
	}
	var flags, handle uintptr
	p.ok("cuMemGetAccess", to(&flags), to(&access.location), place+size)
	p.ok("cuMemRetainAllocationHandle", to(&handle), place+size+5)
	if flags != 3 || handle != b {
		t.Errorf("access %d, handle %#x; want 3 and %#x", flags, handle, b)
	}
	for _, h := range []uintptr{a, b, b} {
		p.ok("cuMemRelease", h)
	}
	p.want(1, "cuMemRelease", a)
	p.want(1, "cuMemAddressFree", place, 3*size)
	p.want(1, "cuMemUnmap", place, size+1)
	p.ok("cuMemUnmap", place, size)
	p.want(1, "cuMemsetD8_v2", place, 1, 1)
	if got := p.bytes(place+2*size, 2); got[1] != 1 {
		t.Errorf("the other place of unmapped memory begins with %v", got)
	}
	p.ok("cuMemUnmap", place+size, 2*size)
	p.ok("cuMemAddressFree", place, 3*size)
}

// TestUnmapWhileWorking unmaps memory while the device works: the call waits, and other calls on the
// address space do not. Nobody can use the memory meanwhile, or map other memory there.
func TestUnmapWhileWorking(t *testing.T) {
	p := startProgram(t)
	prop := allocProp{kind: 1, handles: posixHandle, location: location{onDevice, 0}}
	access := accessDesc{location{onDevice, 0}, 3}
	var place, other, h, flags uintptr
	p.ok("cuMemCreate", to(&h), granularity, to(&prop), 0)
	p.ok("cuMemAddressReserve", to(&place), granularity, 0, 0, 0)
	p.ok("cuMemMap", place, granularity, 0, h, 0)
	p.ok("cuMemSetAccess", place, granularity, to(&access), 1)
	work := make(chan struct{})
	end := sync.OnceFunc(func() { close(work) })
	p.g.d.streamsOn(p.g.d.devices[0])[0].enqueue(func() cuda.Result { <-work; return cuda.Success })
	defer end()
	unmapped := make(chan uintptr, 1)
	go func() { unmapped <- p.call("cuMemUnmap", place, granularity) }()
	for p.call("cuMemGetAccess", to(&flags), to(&access.location), place) == 0 {
		runtime.Gosched()
	}
	p.want(1, "cuMemUnmap", place, granularity)
	p.want(1, "cuMemMap", place, granularity, 0, h, 0)
	p.want(1, "cuMemSetAccess", place, granularity, to(&access), 1)
	p.ok("cuMemAddressReserve", to(&other), granularity, 0, 0, 0)
	p.ok("cuMemMap", other, granularity, 0, h, 0)
	p.ok("cuMemSetAccess", other, granularity, to(&access), 1)
	select {
	case r := <-unmapped:
		t.Errorf("unmapped while the device works: %d", r)
	default:
	}
	end()
	if r := <-unmapped; r != 0 {
		t.Errorf("unmapped: %d", r)
	}
	p.ok("cuMemMap", place, granularity, 0, h, 0)
}

// TestExportMemory sends a file descriptor of memory to the same process, and maps it there again.
func TestExportMemory(t *testing.T) {
	p := startProgram(t)
	prop := allocProp{kind: 1, handles: posixHandle, location: location{onDevice, 0}}
	access := accessDesc{location{onDevice, 0}, 3}
	var places [2]uintptr
	var handles [2]uintptr
	var fd int32
	p.ok("cuMemCreate", to(&handles[0]), granularity, to(&prop), 0)
	p.ok("cuMemExportToShareableHandle", to(&fd), handles[0], posixHandle, 0)
	p.ok("cuMemImportFromShareableHandle", to(&handles[1]), uintptr(fd), posixHandle)
	p.want(1, "cuMemImportFromShareableHandle", to(&handles[1]), uintptr(1<<20), posixHandle)
	for i, h := range handles {
		p.ok("cuMemAddressReserve", to(&places[i]), granularity, 0, 0, 0)
		p.ok("cuMemMap", places[i], granularity, 0, h, 0)
		p.ok("cuMemSetAccess", places[i], granularity, to(&access), 1)
	}
	p.fill(places[0], 301)
	if got := p.bytes(places[1], 301); got[255] != 255 || got[300] != 44 {
		t.Errorf("through the descriptor: %v", got[250:])
	}
}

// TestDevices has two devices: each reads the other's memory once it may, and copies find out whose
// memory an address is.
func TestDevices(t *testing.T) {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	p := &program{t, NewGuest(Config{Devices: 2, Version: 13000, Memory: 64 << 20}, func(int) uintptr { return 0 })}
	p.g.Begin()
	p.ok("cuInit", 0)
	var first, second uintptr
	var can int32
	p.ok("cuDeviceCanAccessPeer", to(&can), 1, 0)
	p.ok("cuCtxCreate_v4", to(&second), 0, 0, 1)
	there := p.counted(400)
	p.ok("cuCtxCreate_v4", to(&first), 0, 0, 0)
	here := p.counted(400)
	if can != 1 || here == there {
		t.Errorf("can reach: %d; addresses %#x and %#x", can, here, there)
	}
	p.ok("cuMemsetD8_v2", here, 9, 400)
	p.ok("cuMemcpyDtoD_v2", here, there, 100)
	if got := p.bytes(here, 101); got[99] != 99 || got[100] != 9 {
		t.Errorf("copied from the other device: %v", got)
	}
	p.want(217, "cuCtxEnablePeerAccess", first, 0)
	p.ok("cuCtxEnablePeerAccess", second, 0)
	p.want(704, "cuCtxEnablePeerAccess", second, 0)
	add := p.function()
	p.ok("cuMemsetD32_v2", there, 0x3f800000, 100)
	if r := p.launch(add, uint64(there), 100, 0); r != 0 {
		t.Errorf("launch: %d", r)
	}
	p.ok("cuCtxSynchronize")
	before := p.bytes(there, 4)
	p.ok("cuCtxDisablePeerAccess", second)
	p.want(705, "cuCtxDisablePeerAccess", second)
	if before[3] != 0x40 { // 1 and something is 2 or more
		t.Errorf("a kernel left %v on the other device", before)
	}
	p.launch(add, uint64(there), 100, 0)
	p.want(700, "cuCtxSynchronize")
}
