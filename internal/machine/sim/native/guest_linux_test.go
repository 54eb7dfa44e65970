package native

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// The tests of this file hold compiled code to the rules of Go's runtime, and of the system.

var guestTime = flag.Duration("guest", 300*time.Millisecond, "`how long` TestGuest runs")

// loop compiles an endless loop.
func loop(t *testing.T) *machine {
	f := newFunction()
	x, y := f.alloc(64), f.alloc(64)
	f.keep(x)
	f.block.Insts = []code.Inst{
		{Op: ptx.OpAdd, Type: ptx.U64, SrcType: ptx.U64, Dst: []code.Slot{x}, Args: []code.Slot{x, y}},
		{Op: ptx.OpFma, Type: ptx.F64, SrcType: ptx.F64, Dst: []code.Slot{y}, Args: []code.Slot{x, y, x}},
	}
	f.block.N, f.block.End, f.block.Target = 3, code.EndJump, f.block
	return f.compile(t)
}

// runAs runs a compiled loop on a register file, for a number of instructions.
func (m *machine) runAs(c *Context, file []uint64, limit int64) int {
	c.File, c.Mask, c.Limit, c.Order = unsafe.Pointer(unsafe.SliceData(file)), ^uint32(0), limit, math.MaxInt32
	m.kernel.Run(m.kernel.Blocks[m.block].Entries[0], true, c)
	return c.Ran()
}

// TestLimit has a loop end after the instructions that it may run, and no later than a block after.
func TestLimit(t *testing.T) {
	t.Parallel()
	m := loop(t)
	for limit := range int64(100) {
		// The machine counts the block in which the loop exits.
		if got, want := m.runAs(m.c, m.file, limit), max(0, (int(limit)-1)/3*3); got != want {
			t.Errorf("limit %d: %d instructions ran, want %d", limit, got, want)
		}
	}
}

// TestGuest runs machine code under a profile while the runtime preempts goroutines, grows and prints
// stacks, and collects garbage.
func TestGuest(t *testing.T) {
	m := loop(t)
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	if err := pprof.StartCPUProfile(&bytes.Buffer{}); err == nil {
		defer pprof.StopCPUProfile()
	}
	stop := time.Now().Add(*guestTime)
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			c, file := NewContext(), make([]uint64, len(m.file))
			for time.Now().Before(stop) {
				deep(1+i*100, func() {
					if ran := m.runAs(c, file, 1<<14); ran < 1<<14-6 || ran > 1<<14 {
						t.Errorf("%d instructions ran", ran)
					}
				})
			}
		})
	}
	stacks := make([]byte, 1<<16)
	rounds := 0
	for time.Now().Before(stop) {
		runtime.GC()
		runtime.Stack(stacks, true)
		rounds++
	}
	work.Wait()
	t.Logf("%d collections", rounds)
}

// deep calls f from a stack of n frames.
func deep(n int, f func()) (sum byte) {
	var frame [128]byte
	frame[n&127] = byte(n)
	if n == 0 {
		f()
		return 0
	}
	return deep(n-1, f) + frame[n&127]
}

// TestMappings finds the code in memory that cannot be written, and no memory that is writable and
// executable. It is not parallel, since qemu leaves out of a process's mappings what changes while it lists
// them.
func TestMappings(t *testing.T) {
	m := loop(t)
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(m.kernel.text)))
	found := false
	for line := range strings.Lines(string(maps)) {
		f := strings.Fields(line)
		var from, to uintptr
		if n := parseRange(f[0], &from, &to); !n {
			t.Fatalf("cannot read %q", line)
		}
		if strings.Contains(f[1], "wx") {
			t.Errorf("writable and executable: %s", line)
		}
		if at >= from && at < to {
			found = true
			if f[1] != "r-xp" {
				t.Errorf("the code is in memory with %s", f[1])
			}
		}
	}
	if !found {
		t.Error("the code is in no mapping")
	}
	runtime.KeepAlive(m)
}

func parseRange(text string, from, to *uintptr) bool {
	a, b, ok := strings.Cut(text, "-")
	for i, s := range []string{a, b} {
		var v uintptr
		for _, c := range s {
			d := strings.IndexRune("0123456789abcdef", c)
			if d < 0 {
				return false
			}
			v = v<<4 | uintptr(d)
		}
		*[]*uintptr{from, to}[i] = v
	}
	return ok
}

// TestUnload has the memory of code go back when its kernel is garbage.
func TestUnload(t *testing.T) {
	before, made := heldBytes.Load(), int64(0)
	var list []*machine
	for range 20 {
		m := loop(t)
		list, made = append(list, m), made+int64(m.kernel.Size())
	}
	if held := heldBytes.Load(); held < made || made == 0 {
		t.Errorf("%d bytes of code count as %d", made, held)
	}
	runtime.KeepAlive(list)
	for range 1000 {
		if heldBytes.Load() <= before {
			return
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d bytes of code are held, %d before", heldBytes.Load(), before)
}

// refusedEnv has TestRefused ask the system to refuse.
const refusedEnv = "GRIDSTRIDE_TEST_REFUSED"

// TestRefused compiles in a process that may not make memory executable (prctl PR_SET_MDWE, Linux
// 6.3), as hardened systems do: nothing is compiled, and nothing fails.
func TestRefused(t *testing.T) {
	if os.Getenv(refusedEnv) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRefused$", "-test.v")
		cmd.Env = append(os.Environ(), refusedEnv+"=1")
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("the system cannot run this test by itself, but in an emulator")
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if strings.Contains(string(out), "--- SKIP") {
			t.Skipf("%s", out)
		}
		return
	}
	const setMDWE, refuseExecGain = 65, 1
	if _, _, err := syscall.RawSyscall6(syscall.SYS_PRCTL, setMDWE, refuseExecGain, 0, 0, 0, 0); err != 0 {
		t.Skip("this kernel has no PR_SET_MDWE: ", err)
	}
	if canExecute() || processor() != nil {
		t.Error("memory can be made executable")
	}
	f := newFunction()
	if k := Compile(&code.Kernel{Funcs: []*code.Func{&f.Func}}, Options{}); k != nil {
		t.Error("a kernel was compiled")
	}
}
