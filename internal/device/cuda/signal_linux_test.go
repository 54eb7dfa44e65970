package cuda

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// sigaction is the start of the kernel's struct: what a signal is handled by, and how.
type sigaction struct {
	handler, flags uintptr
	rest           [16]uintptr
}

// handlers reads how each signal is handled.
func handlers(t *testing.T) (all [65]sigaction) {
	for sig := 1; sig <= 64; sig++ {
		_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), 0, uintptr(unsafe.Pointer(&all[sig])), 8, 0, 0)
		if errno != 0 {
			t.Fatalf("signal %d: %v", sig, errno)
		}
	}
	return all
}

// TestDriverKeepsSignalHandlers opens the driver and a context in its own process. Go needs each
// handler to be its own, or to run on the alternate stack (SA_ONSTACK): one that does not overflows
// a goroutine's stack. Nothing here restores handlers, because the driver changes none.
func TestDriverKeepsSignalHandlers(t *testing.T) {
	const child = "GRIDSTRIDE_TEST_SIGNALS"
	if os.Getenv(child) == "" {
		device(t)
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDriverKeepsSignalHandlers$", "-test.v")
		c.Env = append(os.Environ(), child+"=1")
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	before := handlers(t)
	c := device(t)
	m := must(c.LoadModule([]byte(addPTX), false))(t)
	s := must(c.NewStream())(t)
	launchEmpty(t, c, must(c.Function(m, "empty"))(t), s)
	if err := c.WaitStream(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	after := handlers(t)
	const onStack = 0x08000000
	changed := 0
	for sig := range after {
		b, a := before[sig], after[sig]
		if a.handler == b.handler && a.flags == b.flags {
			continue
		}
		changed++
		note := fmt.Sprintf("signal %d (%v): handler %#x flags %#x, was %#x %#x", sig, syscall.Signal(sig), a.handler, a.flags, b.handler, b.flags)
		if a.handler > 1 && a.flags&onStack == 0 {
			t.Errorf("%s: not on the alternate stack", note)
		} else {
			t.Log(note)
		}
	}
	t.Logf("the driver changed %d signal handlers", changed)
}
