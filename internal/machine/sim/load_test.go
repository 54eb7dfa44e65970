package sim

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/internal/ptx"
)

// instructionModule is a module for the lines of ptx/testdata/accepted.txt: see that package's
// instrModule.
func instructionModule(line string) string {
	return `.version 8.4
.target sm_90
.address_size 64
.global .align 16 .u32 gv[64];
.shared .align 16 .b8 sv[1024];
.const .align 16 .u32 cv[16];
.func (.reg .b32 r) fn (.reg .b32 a) { mov.b32 r, a; ret; }
.visible .entry k(.param .u64 pp, .param .align 16 .b8 pv[64])
{
.local .align 16 .b8 lv[64];
.reg .pred p<8>;
.reg .f16 hf<4>; .reg .f16x2 hx<4>;
.reg .b16 h<8>; .reg .u16 uh<4>;
.reg .b32 r<8>; .reg .u32 ur<4>; .reg .s32 sr<4>;
.reg .b64 rd<8>; .reg .u64 urd<4>;
.reg .f32 f<8>; .reg .f64 fd<8>; .reg .v4 .f32 V;
L:
` + line + `;
M: ret;
}
`
}

// unsupported are the instructions that verify and that the simulator refuses to launch.
var unsupported = []string{"alloca.", "stacksave.", "stackrestore."}

// TestLoadsWhatVerifies decodes every instruction that the verifier's own tests accept, except the
// unsupported ones, which are errors that quote them.
func TestLoadsWhatVerifies(t *testing.T) {
	text, err := os.ReadFile("../../ptx/testdata/accepted.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m, err := ptx.Parse("t.ptx", instructionModule(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		p, err := New(Config{}).Load(m)
		if err == nil {
			err = kernelError(t, p)
		}
		if slices.ContainsFunc(unsupported, func(s string) bool { return strings.HasPrefix(line, s) }) {
			var list LoadErrors
			if !errors.As(err, &list) || list[0].Text != line || list[0].Pos.Line != 18 || list[0].Func != "k" {
				t.Errorf("%s: %v", line, err)
			}
		} else if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		n++
	}
	if n < 300 {
		t.Errorf("only %d instructions", n)
	}
}

// kernelError is why the kernel k cannot be launched.
func kernelError(t *testing.T, p *Program) error {
	t.Helper()
	e, err := p.Entry("k")
	if err != nil {
		t.Fatal(err)
	}
	return e.err
}

// TestEntryDecodesOnce: only those kernels of a module are decoded that are asked for, and only
// once.
func TestEntryDecodesOnce(t *testing.T) {
	t.Parallel()
	p, err := New(Config{}).Load(parse(t, header+".visible .entry k() { ret; }\n.visible .entry other() { ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	var got [8]*Entry
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i], _ = p.Entry("k") })
	}
	wg.Wait()
	for _, e := range got {
		if e == nil || e != got[0] {
			t.Fatalf("entries %v", got)
		}
	}
	if len(p.entries) != 1 {
		t.Errorf("%d kernels are decoded, of which one was asked for", len(p.entries))
	}
	if all := p.Entries(); len(all) != 2 || all[0] != got[0] || all[1].Name != "other" {
		t.Errorf("entries %v", all)
	}
}

// TestLoadErrorInBranch: an error of an instruction that ends a block leaves the next block open,
// which must not break the rest of decoding.
func TestLoadErrorInBranch(t *testing.T) {
	t.Parallel()
	p, err := New(Config{}).Load(parse(t, header+`
.visible .entry k()
{
	.reg .pred %p<2>;
	setp.eq.u32 %p1, 1, 2;
	@%p1 tcgen05.fence;
	@%p1 wmma.frob;
	ret;
}`))
	if err != nil {
		t.Fatal(err)
	}
	var list LoadErrors
	if !errors.As(kernelError(t, p), &list) || len(list) != 2 || list[0].Pos.Line != 9 || list[1].Pos.Line != 10 {
		t.Errorf("%v", list)
	}
}
