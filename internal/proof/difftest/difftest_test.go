package difftest

import (
	"context"
	"encoding/binary"
	"errors"
	"go/types"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/internal/proof/difftest/gen"
	"github.com/gridstride/gridstride/internal/proof/difftest/host"
)

// sharedOracle is one oracle for all tests, removed by the system with its temporary files.
var sharedOracle = sync.OnceValues(func() (*Oracle, error) { return NewOracle(context.Background()) })

func oracle(t *testing.T) *Oracle {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the host's side needs the Go toolchain")
	}
	o, err := sharedOracle()
	if errors.Is(err, ErrMachine) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestMain(m *testing.M) {
	if kind := os.Getenv(serveAs); kind != "" {
		if err := serve(kind); err != nil {
			panic(err)
		}
		return
	}
	m.Run()
	if o, err := sharedOracle(); err == nil {
		o.Close()
	}
}

func parse(t *testing.T, o *Oracle, source string) *Program {
	t.Helper()
	p, err := o.Parse(source)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return p
}

const head = `package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]

`

// TestGenerator checks that programs are the same at every call and type-check. That they end on
// the host is for TestRandom, which runs them.
func TestGenerator(t *testing.T) {
	o := oracle(t)
	for seed := range uint64(60) {
		source := gen.Program(1000 + seed)
		if source != gen.Program(1000+seed) {
			t.Fatalf("seed %d: two calls, two programs", seed)
		}
		parse(t, o, source)
	}
}

// TestOracle runs programs whose results are known: values, arguments of every shape, shared memory
// of two slices, failures.
func TestOracle(t *testing.T) {
	o := oracle(t)
	p := parse(t, o, "//difftest:launch grid=2 block=3 in0=6 out0=6 alias=out0 chk=6 seed=7\n"+head+`type pairø struct {
	a uint8
	b int32
}

//gpu:kernel T=int32
func Kø[T int32 | int64](in0 []T, a0 pairø, out0 []T, alias []T, chk []uint64) {
	tid := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	out0[tid] = in0[tid] + T(a0.b)
	alias[tid]++
	if tid == 4 {
		panic("four")
	}
	gpu.Assert(tid != 5, "five")
	chk[tid] = uint64(tid) / uint64(tid)
}
`)
	out, err := o.Run(t.Context(), []*Program{p})
	if err != nil {
		t.Fatal(err)
	}
	call, got := p.Call(), out[0]
	in, b := call.Args[0].Data, binary.LittleEndian.Uint32(call.Args[1].Data[4:])
	for i := range 6 {
		want := binary.LittleEndian.Uint32(in[4*i:]) + b + 1
		if x := binary.LittleEndian.Uint32(got.Memory[2][4*i:]); x != want {
			t.Errorf("out0[%d] = %d, want %d", i, x, want)
		}
	}
	want := []host.Failure{
		{Thread: 0, Message: "integer divide by zero", Lines: []int{30}},
		{Thread: 4, Message: "panic: four", Lines: []int{27}},
		{Thread: 5, Message: "assertion failed: five", Lines: []int{29}},
	}
	if len(got.Failures) != len(want) {
		t.Fatalf("failures %+v, want %+v", got.Failures, want)
	}
	for i, f := range got.Failures {
		if f.Thread != want[i].Thread || f.Message != want[i].Message || f.Lines[0] != want[i].Lines[0] {
			t.Errorf("failure %+v, want %+v", f, want[i])
		}
	}
	if chk := binary.LittleEndian.Uint64(got.Memory[4][8*3:]); chk != 1 {
		t.Errorf("chk[3] = %d, want 1", chk)
	}
}

// TestOracleTimeout checks that a program without an end is found, and that the programs after it
// still run.
func TestOracleTimeout(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the limit")
	}
	o := oracle(t)
	kernel := func(body string) *Program {
		return parse(t, o, "//difftest:launch grid=1 block=1 chk=1 seed=1\n"+head+
			"//gpu:kernel\nfunc Kø(chk []uint64) {\n\ttid := gpu.ThreadIdx.X\n"+body+"}\n")
	}
	out, err := o.Run(t.Context(), []*Program{kernel("chk[tid] = 1\n"), kernel("for {\nchk[tid]++\n}\n"), kernel("chk[tid] = 3\n")})
	if err != nil {
		t.Fatal(err)
	}
	if out[0].TimedOut || !out[1].TimedOut || out[2].TimedOut || out[2].Memory[0][0] != 3 {
		t.Errorf("outcomes %+v", out)
	}
}

// TestOracleGrid lets the threads of a grid hand each other values, and wait for a block that does
// not come.
func TestOracleGrid(t *testing.T) {
	o := oracle(t)
	kernel := func(body string) *Program {
		return parse(t, o, "//difftest:launch grid=3 block=2 out0=6 chk=6 seed=1\n"+head+
			"//gpu:kernel\nfunc Kø(out0 []uint64, chk []uint64) {\n\ttid := 2*gpu.BlockIdx.X + gpu.ThreadIdx.X\n"+body+"}\n")
	}
	out, err := o.Run(t.Context(), []*Program{
		kernel("for i := range 2 {\nout0[tid] = uint64(10*i + tid)\ngpu.SyncGrid()\nchk[tid] = 100*chk[tid] + out0[(tid+3)%6]\ngpu.SyncGrid()\n}\n"),
		kernel("chk[tid]++\nif gpu.BlockIdx.X > 0 {\ngpu.SyncGrid()\n}\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if out[0].TimedOut || !out[1].TimedOut {
		t.Fatalf("outcomes %+v", out)
	}
	// chk has random numbers at first, which the two rounds multiply by 10000.
	chk := kernel("chk[tid]++\n").Call().Args[1].Data
	for tid := range 6 {
		other := uint64(tid+3) % 6
		want := 10000*binary.LittleEndian.Uint64(chk[8*tid:]) + 100*other + 10 + other
		if got := binary.LittleEndian.Uint64(out[0].Memory[1][8*tid:]); got != want {
			t.Errorf("chk[%d] = %d, want %d", tid, got, want)
		}
	}
}

// TestCompare checks what counts as a difference.
func TestCompare(t *testing.T) {
	q := Param{Name: "x", Slice: true, Len: 1, Alias: -1, Size: 8, Align: 4, Leaves: []Leaf{{0, types.Float32, ".f", false}, {4, types.Int8, ".i", false}}}
	value := func(f uint32, i, padding byte) []byte {
		b := binary.LittleEndian.AppendUint32(nil, f)
		return append(b, i, padding, 0, 0)
	}
	one, nan := math.Float32bits(1), math.Float32bits(float32(math.NaN()))
	p := &Program{Source: "1\n2 //?\n3", Params: []Param{q}}
	outcome := func(b []byte, f ...host.Failure) host.Outcome { return host.Outcome{Memory: [][]byte{b}, Failures: f} }
	device := func(b []byte, f *Failure) Outcome { return Outcome{Memory: [][]byte{b}, Failure: f} }
	fail := host.Failure{Thread: 3, Message: "m", Lines: []int{1}}
	for _, c := range []struct {
		name string
		want host.Outcome
		got  Outcome
		diff string
	}{
		{"equal", outcome(value(one, 2, 0)), device(value(one, 2, 0), nil), ""},
		{"padding", outcome(value(one, 2, 0)), device(value(one, 2, 9), nil), ""},
		{"NaNs", outcome(value(nan, 2, 0)), device(value(nan|0x80000001, 2, 0), nil), ""},
		{"zeros", outcome(value(0, 2, 0)), device(value(1<<31, 2, 0), nil), "memory: x[0].f: device -0 (0x80000000), host 0 (0x00000000)"},
		{"integer", outcome(value(one, 2, 0)), device(value(one, 0xff, 0), nil), "memory: x[0].i: device -1, host 2"},
		{"no failure", outcome(value(one, 2, 0), fail), device(value(one, 2, 0), nil), "failure: device: no thread fails; host: thread 3 fails in line 1: m"},
		{"same failure", outcome(value(one, 2, 0), fail), device(value(one, 2, 0), &Failure{3, "m", 1}), ""},
		{"other thread", outcome(value(one, 2, 0), fail), device(value(one, 2, 0), &Failure{2, "m", 1}), "failure: device: thread 2 fails in line 1: m; host: that thread does not fail"},
		{"other line", outcome(value(one, 2, 0), fail), device(value(one, 2, 0), &Failure{3, "m", 3}), "failure: thread 3: device: line 3: m; host: lines [1]: m"},
		{"ambiguous", outcome(value(one, 2, 0), host.Failure{Thread: 3, Message: "m", Lines: []int{2}}), device(value(one, 2, 0), &Failure{3, "n", 2}), ""},
		{"refused", outcome(value(one, 2, 0)), Outcome{Err: errors.New("no"), Stage: "compile"}, "compile: no"},
	} {
		got := ""
		if d := p.Compare(c.want, c.got); d != nil {
			got = d.String()
		}
		if got != c.diff {
			t.Errorf("%s: %q, want %q", c.name, got, c.diff)
		}
	}
}

// wrongDevice is the simulator, but wrong about every program that computes a remainder: what a
// mistake looks like to the campaign and the reducer.
type wrongDevice struct{ Device }

func (d wrongDevice) Run(ctx context.Context, programs []*Program) []Outcome {
	list := d.Device.Run(ctx, programs)
	for i, p := range programs {
		if last := len(p.Params) - 1; len(list[i].Memory) > last && strings.Contains(p.Source, " %= ") {
			list[i].Memory[last][0] ^= 1
		}
	}
	return list
}

// TestCampaign runs a campaign against a device with a mistake: it finds the programs that meet it,
// and no others.
func TestCampaign(t *testing.T) {
	right := checker(t)
	differ := 0
	c := Campaign{
		Checker: Checker{right.Oracle, wrongDevice{right.Device}}, First: 41, Count: 40, Batch: 20, Workers: 2,
		Differ: func(Verdict) { differ++ },
	}
	sum, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sum.Programs != 40 || sum.Differ != differ || sum.Differ == 0 || sum.Differ == 40 || sum.Kinds["memory"] != sum.Differ || sum.Timeouts != 0 {
		t.Fatalf("summary %+v", sum)
	}
}

// TestReduce reduces a program about which a device is wrong to little more than the statement in
// question.
func TestReduce(t *testing.T) {
	right := checker(t)
	c := Checker{right.Oracle, wrongDevice{right.Device}}
	p := parse(t, right.Oracle, "//difftest:launch grid=1 block=4 in0=4 out0=4 chk=4 seed=1\n"+head+`type pairø struct{ a, b int32 }

func fø(x int32) int32 {
	if x > 3 {
		return x + 1
	}
	return 2 * x
}

//gpu:kernel
func Kø(in0 []int32, out0 []int32, chk []uint64) {
	tid := gpu.ThreadIdx.X
	v1 := in0[tid]
	v2 := pairø{v1, fø(v1)}
	fuel3 := 3
	for fuel3 > 0 && v1 != 5 {
		fuel3--
		switch v1 & 3 {
		case 1:
			v2.b += 4
		default:
			if v2.a < 100 || fø(v2.b) > 3 {
				v2.a += fø(v1*3) - 4
				v1 %= (v2.b | 1)
			} else {
				v2.b--
			}
		}
	}
	out0[tid] = v2.a
	chk[tid] = uint64(v1)
}
`)
	verdicts, err := c.Check(t.Context(), []*Program{p})
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.Reduce(t.Context(), verdicts[0])
	if err != nil {
		t.Fatal(err)
	}
	if v.Difference == nil || !strings.Contains(v.Program.Source, " %= ") {
		t.Errorf("the reduced program lost the difference:\n%s", v.Program.Source)
	}
	if n := strings.Count(body(v.Program.Source), "\n"); n > 8 {
		t.Errorf("the reduced program still has %d lines:\n%s", n, v.Program.Source)
	}
}

// body returns the text after the imports.
func body(source string) string {
	_, source, _ = strings.Cut(source, "Less[int]\n")
	return strings.ReplaceAll(source, "\n\n", "\n")
}
