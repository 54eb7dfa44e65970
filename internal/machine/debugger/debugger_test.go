package debugger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/machine/argspec"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/debugger"
	"github.com/gridstride/gridstride/internal/machine/runptx"
)

// tilePTX has what there is to name: an array of arrays, a struct, scalars, a divergent branch, an
// atomic, a barrier.
const tilePTX = `.version 7.0
.target sm_70
.address_size 64
.file 1 "example.com/tile/tile.go"
.visible .entry tile(.param .u64 .ptr .global .align 4 out, .param .f32 scale, .param .s32 n) {
	.reg .b32 %r<8>; .reg .b64 %a<4>; .reg .f32 %f<4>; .reg .pred %p;
	.shared .align 4 .b32 t[70]; // type [2][35]int32
	.loc 1 5 2
	ld.param.u64 %a1, [out];
	ld.param.f32 %f1, [scale];
	mov.u32 %r1, %tid.x;
	.loc 1 6 2
	mov.u32 %r2, t;
	mad.lo.s32 %r2, %r1, 4, %r2;
	st.shared.u32 [%r2], %r1;
	.loc 1 7 2
	bar.sync 0;
	.loc 1 8 2
	setp.lt.s32 %p, %r1, 3;
	@%p bra LOW;
	.loc 1 9 2
	atom.global.add.u32 %r3, [%a1], 1;
	bra DONE;
LOW:
	.loc 1 10 2
	ld.shared.u32 %r4, [%r2+140];
	cvt.rn.f32.s32 %f2, %r4;
	mul.rn.f32 %f2, %f2, %f1;
DONE:
	.loc 1 12 1
	ret;
}`

// debug runs commands in a session of tile, and returns what it says and the error of the last.
func debug(tb testing.TB, commands ...string) (string, error) {
	tb.Helper()
	job := &runptx.Job{Name: "tile.ptx", PTX: tilePTX}
	job.Config = gridstride.Config{GridDim: gridstride.Dim3{X: 3, Y: 1, Z: 1}, BlockDim: gridstride.Dim3{X: 70, Y: 1, Z: 1}}
	for _, text := range []string{"u32[5]=zeros", "f32=1.5", "s32=-7"} {
		arg, err := argspec.Parse(text, argspec.NoFiles)
		if err != nil {
			tb.Fatal(err)
		}
		job.Args = append(job.Args, arg)
	}
	var out bytes.Buffer
	var last error
	err := job.Debug(tb.Context(), runptx.Observation{}, func(ctx context.Context, l checked.Launch) error {
		s, err := debugger.Start(ctx, l, debugger.Settings{Variables: debugger.Variables{"tile": {"%r1": "tid", "%f1": "k", "%f2": "x"}}}, &out)
		if err != nil {
			return err
		}
		defer s.Close()
		for _, c := range commands {
			if _, last = s.Do(ctx, c); last != nil {
				fmt.Fprintf(&out, "error: %v\n", last)
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out.String(), last
}

// TestCommands looks at what commands say, each after the one before.
func TestCommands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ commands, want string }{
		{"args", "scale = 1.5"},
		{"args", "n = -7"},
		{"print n", "n = -7\n"},
		{"args", "out = 20 bytes at 0x"},
		{"break 10 block 1 thread 2; continue; print tid", "tid = 2\n"},
		{"break 10 block 1; c; thread 1; print t[1][2]", "t[1][2] = 37\n"},
		{"break 10 block 1; c; print t[1]", "t[1] = [35 36 37"},
		{"break 10; c; print k", "k = 1.5\n"},
		{"break 10; c; print x", "error: x is in no register here"},
		{"break 10; c; stepi 2; print x", "x = 35\n"},
		{"break 10; c; lanes tid", "  lane  2  2\n"},
		{"break 8; c; thread 5; print tid", "tid = 5\n"},
		{"break 10; c; thread 66; print tid", "error: the thread is not running"},
		{"break tile.go:10; c; warps", "lanes 3..31"},
		{"break ptx:17; c; where", "bar.sync 0"},
		{"break 8; continue; delete; watch out[0]; continue", "did an atomic add on out[0], which was 5 and became 6"},
		{"watch t[0][1] write; c; c", "thread (1,0,0) of block (0,0,0) wrote 1 to t[0][1]"},
		{"goto end; who out[0]", "thread (63,0,0) of block (2,0,0) did an atomic add on out[0], which was 200 and became 201"},
		{"goto end; who out 3", "which was 139 and became 140"},
		{"goto end; print out", "out = 201 0 0 0 0\n"},
		{"goto end; reverse", "the start\n"},
		{"goto end; print t", "error: block 0 is not running"},
		{"goto 7; where", "time 7:"},
		{"step; step; back; where", "tile.go:6"},
		{"step block; stepi any; info", "time"},
		{"stepi 3; backi 2; where", "time 1:"},
		{"break 7; c; warps", "run at tile.go:7"},
		{"break 9; c; warps", "warp 1  lanes 0..31"},
		{"finding", "the checks find nothing in ascending order"},
		{"help break", "stop before a line"},
		{"help", "continue, c"},
		{"stack", "#0  tile.go:5"},
		{"regs", "%r1"},
		{"break 8; c; locals", "k = 1.5"},
		{"ptx", "*    9  ld.param.u64"},
	} {
		got, _ := debug(t, strings.Split(c.commands, "; ")...)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s says\n%s\nwant %q", c.commands, got, c.want)
		}
	}
}

// TestMistakes gives commands that make no sense: each is an error that says what is right.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"frob": "there is no command", "b": "needs a line", "break x": "is no line", "break 11": "the next line that has is 12",
		"break 99": "no line after it has", "break other.go:5": "no instruction is of other.go", "break 5 block 3": "want 0 to 2",
		"break 5 block": "needs a number", "break 5 grid 1": "want block, warp or thread", "break 5 warp -1": "want 0 to 2",
		"watch": "needs a place", "watch nothing": "is no variable in shared memory", "watch t[2]": "has 2 elements",
		"watch t[0][35]": "has 35 elements", "watch t[0][1][2]": "is no array", "watch t.x": "has no field x", "watch t[": "want [N]",
		"watch t[x]": "is no index", "watch 0x1234": "not an allocation", "watch 0x12zz": "invalid syntax", "watch 0x10:q7": "is no type",
		"watch shared+100000": "bytes of shared memory", "watch shared+0x7fffffffffffffff": "bytes of shared memory",
		"watch out[99999999999999999999]": "is no index", "watch out[0] often": "want read or write",
		"delete 5": "no breakpoint 5", "delete x": "is no number", "step 0": "want lane", "step 999999999": "1 to 10000",
		"goto": "needs a time", "goto -1": "is no time", "finding raceCheck": "is no check", "other": "no race in view",
		"who": "needs a place", "who out 0": "is no number", "thread": "needs the number", "thread 70": "want 0 to 69",
		"print": "needs a name", "print no": "there is no no here", "print %r99": "has no register", "print %r7": "no instruction uses",
		"lanes scale": "there is no scale here", "list 5": "not at hand", "list": "not at hand", "help frob": "there is no command",
		"s": "", "th": "needs the number", "re": "may be reverse or regs",
	} {
		got, err := debug(t, command)
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q\n%s", command, err, want, got)
		}
	}
}

// TestWalk gives commands at random, which must neither crash nor lead to two stories of one time.
func TestWalk(t *testing.T) {
	t.Parallel()
	commands := []string{
		"step", "step warp", "step block", "step any 3", "stepi", "stepi block 5", "back", "back warp", "backi any 7", "continue", "reverse",
		"break 6", "break 9 block 1", "break ptx:12", "watch out[0]", "watch t[1][3] write", "delete", "goto start", "goto end", "goto 50", "goto 201",
		"goto 333", "finding racecheck", "who out[0]", "who t[0][3] 2", "warps all", "regs", "locals", "stack", "thread 5", "thread 69 block 2",
		"thread 33 block 1", "where", "ptx", "lanes tid", "print x", "print t", "info", "args", "breaks", "\x1b[2J", "print \xff", "watch 0x0", "break -1",
	}
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 7))
		var typed []string
		for range 120 {
			typed = append(typed, commands[random.IntN(len(commands))])
		}
		first, _ := debug(t, append(typed, "delete", "goto 100", "warps all", "regs")...)
		again, _ := debug(t, "goto 100", "warps all", "regs")
		if !strings.HasSuffix(first, again) {
			t.Errorf("seed %d: after %q time 100 is another\n%s\nwant at its end\n%s", seed, typed, first, again)
		}
	}
}

// TestQuit ends a session.
func TestQuit(t *testing.T) {
	t.Parallel()
	if _, err := debug(t, "quit"); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("%v, want to quit", err)
	}
}
