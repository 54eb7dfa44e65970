package gputest_test

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/checked/collect"
)

//go:embed testdata/reverse.ptx
var reversePTX string

// reverse launches the kernel of testdata/reverse.cu, with its barrier or without.
func reverse(t testing.TB, dev *gridstride.Device, barrier int32) {
	t.Helper()
	m, err := dev.Load("testdata/reverse.ptx", reversePTX)
	must(t, err)
	k, err := m.Kernel("reverse")
	must(t, err)
	out, err := gridstride.Make[int32](dev, 64)
	must(t, err)
	s := dev.Stream()
	must(t, k.Launch(s, gridstride.Grid(1).Block(64), out, barrier))
	_, err = out.Read(t.Context(), s, nil)
	must(t, err)
	must(t, out.Free())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// probe is a test whose failures are looked at.
type probe struct {
	testing.TB
	errors  []string
	cleanup []func()
}

func (p *probe) Errorf(format string, args ...any) {
	p.errors = append(p.errors, fmt.Sprintf(format, args...))
}
func (p *probe) Error(args ...any) { p.errors = append(p.errors, fmt.Sprintln(args...)) }
func (p *probe) Cleanup(f func())  { p.cleanup = append(p.cleanup, f) }

// end is the end of the test. It returns its errors.
func (p *probe) end() string {
	for _, f := range slices.Backward(p.cleanup) {
		f()
	}
	return strings.Join(p.errors, "\n")
}

// stop is the end of a test that Fatal has ended.
type stop struct{}

func (p *probe) Fatal(args ...any) {
	p.Error(args...)
	panic(stop{})
}

func (p *probe) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	panic(stop{})
}

// TestTimeLimit ends a launch that takes too long, which fails the test.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	p := &probe{TB: t}
	dev := gputest.Device(p, gputest.TimeLimit(20*time.Millisecond))
	m, err := dev.Load("count.ptx", countPTX)
	must(t, err)
	k, err := m.Kernel("count")
	must(t, err)
	a, err := gridstride.Make[int32](dev, 1)
	must(t, err)
	s := dev.Stream()
	must(t, a.Fill(s, 0))
	must(t, k.Launch(s, gridstride.Grid(1).Block(1), a))
	var failure *gridstride.KernelError
	if err := s.Wait(t.Context()); !errors.Is(err, gridstride.ErrTimeLimit) || !errors.As(err, &failure) {
		t.Errorf("the wait returns %v", err)
	}
	must(t, a.Free())
	if got := p.end(); !strings.Contains(got, "could not decide: count, ascending: over the time limit of 20ms, when 0 of 1 blocks had ended") {
		t.Errorf("the test fails with %q", got)
	}
}

// countPTX counts for ever.
const countPTX = `.version 7.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 a)
{
	.reg .b32 %r;
	.reg .b64 %x;
	ld.param.u64 %x, [a];
L:
	ld.global.u32 %r, [%x];
	add.u32 %r, %r, 1;
	st.global.u32 [%x], %r;
	bra L;
}
`

var race = gputest.Finding{
	Tool: "racecheck", Kind: "race", Cause: "missing block barrier", Kernel: "reverse", At: []string{"out[t] = s[63 - t]", "reverse.cu:5"},
}

func TestFindingsFailTheTest(t *testing.T) {
	p := &probe{TB: t}
	reverse(t, gputest.Device(p), 0)
	got := p.end()
	for _, want := range []string{
		"the checks found:\n\nRACE  write/read, shared memory, no barrier between",
		"kernel reverse, grid 1x1x1, block 64x1x1",
		"reverse.cu:5:2", "s[t] = t;", "reverse.cu:7:2", "out[t] = s[63 - t];",
		"launched from gputest_test.go:",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("this is missing: %s", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestSilence(t *testing.T) {
	p := &probe{TB: t}
	dev := gputest.Device(p)
	reverse(t, dev, 1)
	if got := gputest.Report(p); got != "" {
		t.Errorf("a clean kernel's report:\n%s", got)
	}
	if got := p.end(); got != "" {
		t.Errorf("a clean kernel fails its test:\n%s", got)
	}
}

// TestLaunchLeftBehind ends a test that has not waited for its launch: what is wrong with it is
// found all the same.
func TestLaunchLeftBehind(t *testing.T) {
	p := &probe{TB: t}
	dev := gputest.Device(p)
	m, err := dev.Load("testdata/reverse.ptx", reversePTX)
	must(t, err)
	k, err := m.Kernel("reverse")
	must(t, err)
	out, err := gridstride.Make[int32](dev, 64)
	must(t, err)
	must(t, k.Launch(dev.Stream(), gridstride.Grid(1).Block(64), out, int32(0)))
	must(t, out.Free())
	if got := p.end(); !strings.Contains(got, "RACE ") {
		t.Errorf("the test's errors are %q", got)
	}
}

func TestExpect(t *testing.T) {
	for _, tt := range []struct {
		name    string
		barrier int32
		want    []gputest.Finding
		fails   string // how the test's errors start, "" for none
	}{
		{"exactly", 0, []gputest.Finding{race}, ""},
		{"anything", 0, []gputest.Finding{{}}, ""},
		{"by columns", 0, []gputest.Finding{{At: []string{"testdata/reverse.cu:7:2", "s[t] = t"}}}, ""},
		{"nothing found", 1, []gputest.Finding{race}, "expected, but not found: racecheck race (missing block barrier) in reverse at out[t] = s[63 - t] and reverse.cu:5"},
		{"another tool", 0, []gputest.Finding{{Tool: "memcheck"}}, "the checks found:\n\nRACE"},
		{"another line", 0, []gputest.Finding{{At: []string{"reverse.cu:6"}}}, "the checks found:\n\nRACE"},
		{"one place twice", 0, []gputest.Finding{{At: []string{"reverse.cu:5", "reverse.cu:5"}}}, "the checks found:\n\nRACE"},
		{"a part of a name", 0, []gputest.Finding{{At: []string{"verse.cu:5"}}}, "the checks found:\n\nRACE"},
		{"one more", 0, []gputest.Finding{race, {Kind: "barrier"}}, "expected, but not found: barrier"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &probe{TB: t}
			gputest.Expect(p, tt.want...)
			reverse(t, gputest.Device(p), tt.barrier)
			if got := p.end(); !strings.HasPrefix(got, tt.fails) || tt.fails == "" && got != "" {
				t.Errorf("errors are\n%s\nwant\n%s", got, tt.fails)
			}
		})
	}
}

// TestExpectRefuses typos, and calls after a launch.
func TestExpectRefuses(t *testing.T) {
	for _, tt := range []struct {
		launch  bool
		finding gputest.Finding
		want    string
	}{
		{false, gputest.Finding{Tool: "racechek"}, `gputest.Expect: "racechek" is no tool: there are `},
		{false, gputest.Finding{Kind: "rice"}, `gputest.Expect: "rice" is no kind of finding: there are `},
		{true, gputest.Finding{}, "gputest.Expect: call it before the launch"},
	} {
		p := &probe{TB: t}
		if tt.launch {
			reverse(t, gputest.Device(p), 1)
		}
		func() {
			defer func() {
				if recover() != (stop{}) {
					t.Errorf("%v is taken", tt.finding)
				}
			}()
			gputest.Expect(p, tt.finding)
		}()
		if got := p.end(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%v: %s", tt.finding, got)
		}
	}
}

// TestWhatIsInitialized reads a buffer that nobody has written, and one that was: the checks know
// of every way to write one.
func TestWhatIsInitialized(t *testing.T) {
	m := func(dev *gridstride.Device) *gridstride.Kernel {
		module, err := dev.Load("copy.ptx", copyPTX)
		must(t, err)
		k, err := module.Kernel("double")
		must(t, err)
		return k
	}
	for name, fill := range map[string]func(*gridstride.Stream, gridstride.Buffer[int32]) error{
		"Write": func(s *gridstride.Stream, b gridstride.Buffer[int32]) error {
			return b.Write(t.Context(), s, make([]int32, 4))
		},
		"Zero":                 func(s *gridstride.Stream, b gridstride.Buffer[int32]) error { return b.Zero(s) },
		"nothing":              func(*gridstride.Stream, gridstride.Buffer[int32]) error { return nil },
		"half":                 func(s *gridstride.Stream, b gridstride.Buffer[int32]) error { return b.Slice(0, 2).Zero(s) },
		"Fill":                 func(s *gridstride.Stream, b gridstride.Buffer[int32]) error { return b.Fill(s, 7) },
		"Copy":                 copyThrough(4),
		"half, by way of Copy": copyThrough(2),
		"Copy from a device":   copyFromDevice(t, 4),
		"half, from a device":  copyFromDevice(t, 2),
	} {
		t.Run(name, func(t *testing.T) {
			p := &probe{TB: t}
			dev := gputest.Device(p)
			s := dev.Stream()
			b, err := gridstride.Make[int32](dev, 4)
			must(t, err)
			must(t, fill(s, b))
			must(t, m(dev).Launch(s, gridstride.Grid(1).Block(4), b))
			must(t, s.Wait(t.Context()))
			must(t, b.Free())
			got := p.end()
			if bad := name == "nothing" || strings.HasPrefix(name, "half"); bad != strings.Contains(got, "UNINITIALIZED") || !bad && got != "" {
				t.Errorf("errors:\n%s", got)
			}
		})
	}
}

// copyThrough fills n of four elements, in a buffer, and copies the four to another buffer.
func copyThrough(n int) func(*gridstride.Stream, gridstride.Buffer[int32]) error {
	return func(s *gridstride.Stream, b gridstride.Buffer[int32]) error { return copyFrom(s.Device(), n, s, b) }
}

// copyFromDevice is copyThrough with the other buffer on another device.
func copyFromDevice(t *testing.T, n int) func(*gridstride.Stream, gridstride.Buffer[int32]) error {
	other := gputest.Device(t)
	return func(s *gridstride.Stream, b gridstride.Buffer[int32]) error { return copyFrom(other, n, s, b) }
}

func copyFrom(dev *gridstride.Device, n int, s *gridstride.Stream, b gridstride.Buffer[int32]) error {
	from, err := gridstride.Make[int32](dev, b.Len())
	if err != nil {
		return err
	}
	filled := dev.NewStream()
	defer filled.Close()
	return errors.Join(from.Slice(0, n).Fill(filled, 7), s.After(filled.Record()), gridstride.Copy(s, b, from), from.Free())
}

// copyPTX doubles the elements of a buffer.
const copyPTX = `
.version 7.0
.target sm_50
.address_size 64
.visible .entry double(.param .u64 x)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [x];
	cvta.to.global.u64 %rd1, %rd1;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r2, [%rd3];
	add.s32 %r3, %r2, %r2;
	st.global.u32 [%rd3], %r3;
	ret;
}
`

// TestLeak: buffers that were not freed are found as Device.Close finds them.
func TestLeak(t *testing.T) {
	p := &probe{TB: t}
	_, err := gridstride.Make[byte](gputest.Device(p), 3)
	must(t, err)
	if got := p.end(); !strings.Contains(got, "not freed: 1 buffer (3 bytes)") {
		t.Errorf("errors: %s", got)
	}
}

// TestUnderCommand: gridstride check gets what was found and not expected, and the tests pass.
func TestUnderCommand(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(checked.EnvVar, checked.Env{Dir: dir, Orders: 7, Seed: 5}.String())
	for _, want := range [][]gputest.Finding{nil, {race}} {
		p := &probe{TB: t}
		gputest.Expect(p, want...)
		reverse(t, gputest.Device(p), 0)
		if got := p.end(); got != "" {
			t.Errorf("expecting %v, the test fails: %s", want, got)
		}
	}
	reports, err := collect.All(dir)
	must(t, err)
	if len(reports) != 2 || reports[0].Launches != 1 || len(reports[0].Findings) != 1 || len(reports[1].Findings) != 0 {
		t.Fatalf("reports: %+v", reports)
	}
	if f := reports[0].Findings[0]; !slices.Contains(f.Orders, "random seed 5") || !strings.Contains(f.Witnesses[0].Text, "s[") {
		t.Errorf("the finding: %+v", f)
	}
}

// TestMain keeps these tests on the simulator: on a GPU the package does what gridstride.Open does.
func TestMain(m *testing.M) {
	if strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") && os.Getenv("GRIDSTRIDE_TEST_STANDIN") == "" {
		fmt.Println("the tests of the checks do not run on a GPU")
		return
	}
	os.Exit(m.Run())
}
