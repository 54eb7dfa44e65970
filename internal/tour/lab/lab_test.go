package lab

import (
	"os"
	"strings"
	"testing"
)

const head = "package page\n\nimport \"github.com/gridstride/gridstride/gpu\"\n\n"

// reduced is a sum in shared memory without the barrier after the stores.
const reduced = head + `//gpu:kernel block=64
func Sum(x, sums []int32) {
	cache := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	cache[tid] = x[tid]
	for s := 32; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		sums[0] = cache[0]
	}
}
`

func newLab() *Lab { return New(os.DirFS("../../..")) }

// TestErrors has the compiler's errors by line.
func TestErrors(t *testing.T) {
	t.Parallel()
	l := newLab()
	for text, want := range map[string]Error{
		head + "//gpu:kernel\nfunc K(x []int32) {\n\tx[0] = y\n}\n": {7, 9, "undefined: y"},
		head + "func F() {}\n": {0, 0, "no kernel"},
		"":                     {0, 0, ""},
		head + "//gpu:kernel\nfunc K(x []int32) {\n\tprintln(x[0]\n}\n": {7, 0, ""},
		strings.Repeat("/", MaxProgram+1):                               {0, 0, "want at most 262144"},
	} {
		c := l.Compile(text)
		if len(c.Errors) == 0 {
			t.Errorf("%.60q has no errors", text)
			continue
		}
		if got := c.Errors[0]; got.Line != want.Line && want.Line != 0 || want.Column != 0 && got.Column != want.Column ||
			!strings.Contains(got.Message, want.Message) {
			t.Errorf("%.60q: %+v, want %+v", text, got, want)
		}
	}
}

// TestRun runs, checks and shows the race of a sum.
func TestRun(t *testing.T) {
	t.Parallel()
	c := newLab().Compile(reduced)
	l := Launch{Grid: []int{1}, Args: []string{"s32[64]=ramp", "s32[1]=zeros"}}
	r := c.Run(t.Context(), l, nil)
	if r.Error != "" || len(r.Buffers) != 2 || len(r.Buffers[1].After) != 1 {
		t.Fatalf("%+v, %s", r.Buffers, r.Error)
	}
	if len(r.Pictures.Warps) != 2 || len(r.Pictures.Meets) != 6 || len(r.Pictures.Accesses) == 0 {
		t.Errorf("%d warps, %d barriers, %d accesses", len(r.Pictures.Warps), len(r.Pictures.Meets), len(r.Pictures.Accesses))
	}
	v := c.Check(t.Context(), l)
	if len(v.Findings) != 1 || v.Findings[0].Race == nil {
		t.Fatalf("%+v", v)
	}
	race := v.Findings[0].Race
	if len(race.Orders) != 2 || race.Orders[0].First == race.Orders[1].First || race.Orders[0].Result == race.Orders[1].Result {
		t.Errorf("the race's orders are %+v", race.Orders)
	}
	t.Logf("%+v %v", race, c.Kernels[0].Lines)
}

// TestRefused refuses launches that make no sense, or that a page cannot bear.
func TestRefused(t *testing.T) {
	t.Parallel()
	c := newLab().Compile(reduced)
	args := []string{"s32[64]=ramp", "s32[1]"}
	for want, l := range map[string]Launch{
		"takes 2 arguments, and 1 are given":       {Grid: []int{1}, Args: args[:1]},
		"the grid has the size 0; want at least 1": {Grid: []int{0}, Args: args},
		"the grid has 4 sizes; want at most 3":     {Grid: []int{1, 1, 1, 1}, Args: args},
		"more than 4194304 threads":                {Grid: []int{1 << 40, 1 << 40}, Args: args},
		"x: the buffers have more than 64 MiB":     {Grid: []int{1}, Args: []string{"s32[500000000]=ramp", "s32[1]"}},
		"files cannot be read here":                {Grid: []int{1}, Args: []string{"x.npy", "s32[1]"}},
		"the program has no kernel Other":          {Kernel: "Other", Grid: []int{1}, Args: args},
		"index out of range [0] with length 0 at":  {Grid: []int{1}, Args: []string{"s32[64]=ramp", "s32[0]"}},
		"is compiled for (64,1,1) only":            {Grid: []int{1}, Block: []int{32}, Args: args},
	} {
		if r := c.Run(t.Context(), l, nil); !strings.Contains(r.Error, want) {
			t.Errorf("%+v: %q, want %q", l, r.Error, want)
		}
	}
}

// TestAnswer answers what is no request.
func TestAnswer(t *testing.T) {
	t.Parallel()
	l := newLab()
	for request, want := range map[string]string{
		"":                  "no JSON",
		`{"do":"dance"}`:    `no step \"dance\"`,
		`{"do":"exercise"}`: "no exercise",
		`{"do":"run"}`:      "does not compile",
	} {
		if got := l.Answer(request); !strings.Contains(got, want) {
			t.Errorf("%s: %.300s, want %s", request, got, want)
		}
	}
}

// other is PTX with a race: all threads of a block write their number to one place.
const other = `// of another compiler
.version 7.0
.target sm_70
.address_size 64
.visible .entry last(.param .u64 p, .param .u32 n)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	st.global.u32 [%rd1], %r1;
	ret;
}
`

// TestPTX runs and checks PTX that has no source.
func TestPTX(t *testing.T) {
	t.Parallel()
	l := newLab()
	c := l.Compile(other)
	launch := Launch{Grid: []int{1}, Block: []int{64}, Args: []string{"u32[1]=zeros", "u32=1"}}
	r := c.Run(t.Context(), launch, nil)
	if len(c.Errors) > 0 || r.Error != "" || r.Buffers[0].After[0] == "0" || r.Pictures.Warps[1].Spans[2].Line != 11 {
		t.Fatalf("%+v, %+v", c.Errors, r)
	}
	v := c.Check(t.Context(), launch)
	if len(v.Findings) == 0 || v.Findings[0].Race == nil || v.Findings[0].Lines[0] != 11 {
		t.Errorf("%+v", v)
	}
	for text, want := range map[string]Error{
		strings.Replace(other, "st.global.u32 [%rd1], %r1", "st.global.u32 [%rd1], %r9", 1): {Line: 11},
		strings.Replace(other, "\tret;\n}\n", "", 1):                                        {},
		".version 7.0\n.target sm_70\n.address_size 64\n":                                   {Message: "the PTX has no kernel (.entry)"},
	} {
		c := l.Compile(text)
		if len(c.Errors) == 0 || want.Line > 0 && c.Errors[0].Line != want.Line || want.Message != "" && c.Errors[0].Message != want.Message {
			t.Errorf("%s: %+v, want %+v", text, c.Errors, want)
		}
	}
}
