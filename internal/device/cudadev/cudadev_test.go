package cudadev

import (
	"testing"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/ptx"
)

func TestClassOf(t *testing.T) {
	t.Parallel()
	last := int64(0)
	for size := int64(1); size < 1<<40; size += 1 + size/7 {
		class := classOf(size)
		if class < size || class%512 != 0 || class < last || size > 2048 && class > size*5/4 {
			t.Errorf("%d bytes are served by a block of %d (the size before: %d)", size, class, last)
		}
		if again := classOf(class); again != class {
			t.Errorf("a block of %d is of class %d", class, again)
		}
		last = class
	}
}

func TestCheckVersion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ptx    ptx.Version
		driver cuda.Version
		want   string
	}{
		{ptx.Version{Major: 8, Minor: 5}, 12050, ""},
		{ptx.Version{Major: 6, Minor: 0}, 13000, ""},
		{ptx.Version{Major: 9, Minor: 9}, 99000, ""}, // newer than this knows: the driver decides
		{ptx.Version{Major: 8, Minor: 5}, 12000, "PTX is version 8.5, the driver takes up to 8.0 (CUDA 12.0): install a newer driver, or lower .version if no newer instruction is used"},
	} {
		got := ""
		if err := checkVersion(c.ptx, c.driver); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("PTX %v on CUDA %v: %q, want %q", c.ptx, c.driver, got, c.want)
		}
	}
}

// TestNameLines maps the lines that the driver's compiler complains about to the source.
func TestNameLines(t *testing.T) {
	t.Parallel()
	const text = `.version 7.0
.target sm_70
.address_size 64
.file 1 "dot.go"
.file 2 "sum.go"
.visible .entry k()
{
	.reg .b32 %r<3>;
	mov.u32 %r1, 1;
	.loc 1 24 3
	add.s32 %r1, %r1, %r1;
	{
		.loc 2 7 1
		add.s32 %r2, %r1, %r1;
	}
	ret;
}
`
	tree, err := ptx.Parse("k.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	log := "ptxas application ptx input, line 9; error   : too odd\n" +
		"ptxas application ptx input, line 11; error   : Unknown symbol '%r9'\n" +
		"ptxas application ptx input, line 14; error   : deeper\n" +
		"ptxas fatal   : Ptx assembly aborted due to errors\nline 99 of nothing"
	want := "ptxas application ptx input, line 9; error   : too odd\n\tPTX: mov.u32 %r1, 1;\n" +
		"ptxas application ptx input, line 11; error   : Unknown symbol '%r9'\n\tfrom dot.go:24:3\n\tPTX: add.s32 %r1, %r1, %r1;\n" +
		"ptxas application ptx input, line 14; error   : deeper\n\tfrom sum.go:7:1\n\tPTX: add.s32 %r2, %r1, %r1;\n" +
		"ptxas fatal   : Ptx assembly aborted due to errors\nline 99 of nothing"
	if got := nameLines(tree, log); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestGate shuts a gate while a call is inside.
func TestGate(t *testing.T) {
	t.Parallel()
	g := newGate()
	if !g.hold() || !g.open() {
		t.Fatal("a new gate is shut")
	}
	g.end()
	g.end()
	if g.hold() || g.open() {
		t.Error("a shut gate lets calls in")
	}
	select {
	case <-g.out:
		t.Error("the gate is empty while a call is inside")
	default:
	}
	g.release()
	<-g.out
	if g := newGate(); true {
		g.end()
		<-g.out
	}
}
