package gridstride

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/cuda"
	"github.com/gridstride/gridstride/internal/ptx"
)

func TestClassOf(t *testing.T) {
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

func TestCheckTarget(t *testing.T) {
	for _, c := range []struct{ target, capability, want string }{
		{"sm_70", "7.0", ""},
		{"sm_70", "9.0", ""},
		{"sm_90a", "9.0", ""},
		{"sm_100f", "10.3", ""},
		{"sm_90", "7.5", "needs sm_90, the device is sm_75 (GPU)"},
		{"sm_100", "9.0", "needs sm_100, the device is sm_90 (GPU)"},
		{"sm_90a", "10.0", "is for sm_90a only, the device is sm_100 (GPU): compile it for a target without the letter"},
		{"sm_100f", "12.0", "is for sm_100f only, the device is sm_120 (GPU): compile it for a target without the letter"},
	} {
		got := ""
		if err := checkTarget([]string{c.target, "texmode_independent"}, Info{Name: "GPU", Capability: c.capability}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s on %s: %q, want %q", c.target, c.capability, got, c.want)
		}
	}
}

// TestNameLines maps the lines that the driver's compiler complains about to the source.
func TestNameLines(t *testing.T) {
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
	g := newGate()
	if !g.enter() || !g.open() {
		t.Fatal("a new gate is shut")
	}
	g.end()
	g.end()
	if g.enter() || g.open() {
		t.Error("a shut gate lets calls in")
	}
	select {
	case <-g.out:
		t.Error("the gate is empty while a call is inside")
	default:
	}
	g.leave()
	<-g.out
	if g := newGate(); true {
		g.end()
		<-g.out
	}
}

// TestChoose asks for devices that are not there. What is there is tested by every other test.
func TestChoose(t *testing.T) {
	for env, want := range map[string]string{
		"cuda:77": "open: GRIDSTRIDE_DEVICE=cuda:77: ",
		"sim":     "",
	} {
		t.Setenv("GRIDSTRIDE_DEVICE", env)
		dev, err := Open()
		switch {
		case want == "":
			if err != nil {
				t.Errorf("%s: %v", env, err)
			} else if dev.Info().Why != "GRIDSTRIDE_DEVICE="+env {
				t.Errorf("%s: chosen because %s", env, dev.Info().Why)
			}
		case err == nil || !strings.HasPrefix(err.Error(), want):
			t.Errorf("%s: %v, want %s…", env, err, want)
		}
		if dev != nil {
			_ = dev.Close()
		}
	}
	t.Setenv("GRIDSTRIDE_DEVICE", "")
	dev, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if info := dev.Info(); info.Backend == "sim" && !strings.HasPrefix(info.Why, "no GPU: ") || info.Backend == "cuda" && info.Why != "the first GPU" {
		t.Errorf("%s was chosen because %s", info.Name, info.Why)
	}
}

// TestJobAgainTakesNoMemory does a job with its data on the host twice: the second time the
// device's memory does not grow. The pools are the driver's and our own.
func TestJobAgainTakesNoMemory(t *testing.T) {
	dev, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	b, ok := dev.backend.(*gpu)
	if !ok {
		t.Skip("needs a GPU")
	}
	own := newSizeClasses(b.ctx)
	taken := func() int64 {
		n := int64(len(own.size))
		for _, kept := range own.kept {
			n += int64(len(kept))
		}
		return n
	}
	if os.Getenv("GRIDSTRIDE_TEST_STANDIN") == "" { // which has no pool that keeps memory
		jobTwice(t, dev, func() int64 {
			n, err := b.ctx.PoolReserved()
			if err != nil {
				t.Fatal(err)
			}
			return n
		})
	}
	b.blocks = own
	jobTwice(t, dev, taken)
	if n := taken(); n != 3 {
		t.Errorf("a job of 3 buffers took %d blocks", n)
	}
	if err := own.trim(); err != nil || taken() != 0 {
		t.Errorf("after a trim there are %d blocks, %v", taken(), err)
	}
}

// jobTwice does a job twice and compares what is taken.
func jobTwice(t *testing.T, dev *Device, taken func() int64) {
	t.Helper()
	ctx, s, host := context.Background(), dev.Stream(), make([]float32, 10_000_000)
	var before int64
	for range 2 {
		before = taken()
		var buffers [3]Buffer[float32]
		for i := range buffers {
			var err error
			if buffers[i], err = CopyOf(dev, host); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := buffers[2].Read(ctx, s, host); err != nil {
			t.Fatal(err)
		}
		for _, x := range buffers {
			if err := x.Free(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if after := taken(); after != before {
		t.Errorf("the second job took %d, after %d", after-before, before)
	}
}
