package difftest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// sharedCompiler is one compiler for all tests: to make one is to load package gpu.
var sharedCompiler = sync.OnceValues(func() (*Compiler, error) {
	return NewCompiler(context.Background(), ".", Simulator{})
})

// checker compares the compiler and the simulator with the host.
func checker(t *testing.T) *Checker {
	t.Helper()
	o := oracle(t)
	c, err := sharedCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return &Checker{o, c}
}

// TestPrograms runs the saved programs.
func TestPrograms(t *testing.T) {
	c := checker(t)
	programs := savedPrograms(t)
	verdicts, err := c.Check(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	if len(verdicts) != len(programs) {
		t.Fatalf("%d programs, %d verdicts", len(programs), len(verdicts))
	}
	for _, v := range verdicts {
		if v.Difference != nil {
			t.Errorf("%s\n%s", v.Difference, v.Program.Source)
		}
	}
}

// savedPrograms returns the programs of testdata/programs.
func savedPrograms(t *testing.T) []*Program {
	t.Helper()
	o := oracle(t)
	names, err := filepath.Glob("testdata/programs/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	var programs []*Program
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, parse(t, o, string(text)))
	}
	return programs
}

// TestAssembler has ptxas, if it is installed, assemble the saved programs, and a module that it
// refuses.
func TestAssembler(t *testing.T) {
	ptxas := os.Getenv("GRIDSTRIDE_PTXAS")
	if ptxas == "" {
		ptxas, _ = exec.LookPath("ptxas")
	}
	if ptxas == "" {
		t.Skip("ptxas is not on PATH and GRIDSTRIDE_PTXAS is not set")
	}
	programs := savedPrograms(t)
	c, err := sharedCompiler()
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := c.compile(programs, 0)
	if err != nil {
		t.Fatal(err)
	}
	a := Assembler{Simulator{}, ptxas, "sm_90"}
	if _, err := loadModules(a, list); err != nil {
		t.Error(err)
	}
	if _, err := a.Load(".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry K() { brk 1; }\n"); err == nil {
		t.Error("ptxas takes an instruction that there is not")
	}
}

// TestRandom is a short campaign. The seeds differ from the recorded long campaign's, so that the
// two together test more.
func TestRandom(t *testing.T) {
	count := 100
	if testing.Short() {
		count = 40
	}
	c := Campaign{Checker: *checker(t), First: 1 << 40, Count: count, Batch: 50, Workers: 2}
	c.Differ = func(v Verdict) {
		t.Errorf("seed %d: %s\n%s", v.Program.Seed, v.Difference, v.Program.Source)
	}
	sum, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sum.Programs != count || sum.Failed == 0 || sum.Timeouts != 0 {
		t.Errorf("summary %+v", sum)
	}
}

// TestFindsMistakes breaks the programs on their way to the device: the checker notices each.
func TestFindsMistakes(t *testing.T) {
	c := checker(t)
	program := func(body string) *Program {
		return parse(t, c.Oracle, "//difftest:launch grid=2 block=33 in0=66 out0=66 chk=66 seed=3\n"+head+
			"//gpu:kernel\nfunc Kø(in0 []int32, out0 []float32, chk []uint64) {\n"+
			"\ttid := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X\n"+body+"}\n")
	}
	for _, m := range []struct{ host, device, kind string }{
		{"chk[tid] = uint64(in0[tid] >> 3)\n", "chk[tid] = uint64(uint32(in0[tid]) >> 3)\n", "memory"},
		{"out0[tid] = float32(in0[tid]) * 3\n", "out0[tid] = gpu.FMA(float32(in0[tid]), 3, 1e-9)\n", "memory"},
		{"chk[tid] = uint64(in0[tid&63])\n", "chk[tid] = uint64(in0[tid+1])\n", "failure"},
		{"chk[tid+1] = 1\n", "chk[tid] = 1\n", "failure"},
	} {
		host, device := program(m.host), program(m.device)
		want, err := c.Oracle.Run(t.Context(), []*Program{host})
		if err != nil {
			t.Fatal(err)
		}
		got := c.Device.Run(t.Context(), []*Program{device})
		d := host.Compare(want[0], got[0])
		if d == nil || d.Kind != m.kind {
			t.Errorf("%q run as %q: %v, want a difference of kind %s", strings.TrimSpace(m.host), strings.TrimSpace(m.device), d, m.kind)
		}
	}
}
