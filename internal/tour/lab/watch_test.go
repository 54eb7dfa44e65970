package lab

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/debugger"
)

// at asks for a moment, which must be there.
func at(t *testing.T, l *Lab, launch Launch, k Look) *Moment {
	t.Helper()
	m := l.Look(t.Context(), reduced, launch, k)
	if m.Error != "" {
		t.Fatalf("%+v: %s", k, m.Error)
	}
	return m
}

// seen is a moment as text. Kept depends on the way there, so it is not part of the text.
func seen(t *testing.T, m *Moment) string {
	t.Helper()
	m.Kept = Kept{}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLook goes through an execution forth, and then anyhow: what is seen at a time depends on the time
// alone.
func TestLook(t *testing.T) {
	t.Parallel()
	l, launch := newLab(), Launch{Grid: []int{2}, Args: []string{"s32[64]=ramp", "s32[1]=zeros"}}
	defer l.leave()
	var forth []string
	for i := uint64(0); ; i++ {
		m := at(t, l, launch, Look{At: i})
		forth = append(forth, seen(t, m))
		if m.Ended {
			break
		}
	}
	if len(forth) < 100 {
		t.Fatalf("it has ended at %d", len(forth))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		i := random.IntN(len(forth))
		if got := seen(t, at(t, l, launch, Look{At: uint64(i)})); got != forth[i] {
			t.Fatalf("time %d:\n%s\nand before\n%s", i, got, forth[i])
		}
	}
	end := at(t, l, launch, Look{At: 1 << 60})
	ran := l.program(reduced).Run(t.Context(), launch, nil)
	if ran.Total.Instructions != end.At || strings.Join(end.Buffers[1].Values, " ") != strings.Join(ran.Buffers[1].After, " ") {
		t.Errorf("at the end, %d of %d, %+v; the launch leaves %+v", end.At, ran.Total.Instructions, end.Buffers[1], ran.Buffers[1].After)
	}
}

// TestLookAround asks for a variable of a thread, for who wrote something, and steps back.
func TestLookAround(t *testing.T) {
	t.Parallel()
	l, launch := newLab(), Launch{Grid: []int{2}, Args: []string{"s32[64]=ramp", "s32[1]=zeros"}}
	defer l.leave()
	whole := at(t, l, launch, Look{At: 1 << 60})
	m := at(t, l, launch, Look{At: whole.At / 4, Thread: &debugger.Focus{Warp: 1, Lane: 3}})
	if m.Thread != (debugger.Focus{Warp: 1, Lane: 3}) || len(m.Warps) == 0 || len(m.Shared) == 0 || m.Shared[0].Name != "cache" {
		t.Errorf("%+v", m)
	}
	who := at(t, l, launch, Look{At: whole.At - 1, Command: "who cache[0]"})
	if !strings.Contains(who.Said, "wrote") || !strings.Contains(who.Said, "kernel.go:") || who.At != whole.At-1 {
		t.Errorf("at %d: %q", who.At, who.Said)
	}
	if back := at(t, l, launch, Look{At: 50, Command: "backi any"}); back.At != 49 || back.Line == 0 {
		t.Errorf("back from 50 is %d, line %d", back.At, back.Line)
	}
	if step := at(t, l, launch, Look{At: 50, Command: "stepi any"}); step.At != 51 {
		t.Errorf("a step from 50 is %d", step.At)
	}
	for _, bad := range []string{"nonsense", "print nobody", "goto x", "who cache[9999]"} {
		if m := l.Look(t.Context(), reduced, launch, Look{At: 50, Command: bad}); m.Error == "" || len(m.Warps) == 0 {
			t.Errorf("%s: %q, %d warps", bad, m.Error, len(m.Warps))
		}
	}
	if m := l.Look(t.Context(), reduced, launch, Look{Thread: &debugger.Focus{Block: 99}}); m.Error == "" {
		t.Error("there is no error for a thread that does not exist")
	}
	launch.Grid = []int{-1}
	if m := l.Look(t.Context(), reduced, launch, Look{}); m.Error == "" {
		t.Error("there is no error for a bad grid")
	}
	if m := l.Look(t.Context(), "package x", launch, Look{}); m.Error == "" {
		t.Error("there is no error for a program without a kernel")
	}
}
