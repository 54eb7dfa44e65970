package native

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
)

// The tests of this file need no ARM64. On one, or on qemu's, the other tests of the package hold what
// the code does to package lanes.

// TestNeonKnows has NEON know what the target of this process knows, and no modifiers of it.
func TestNeonKnows(t *testing.T) {
	t.Parallel()
	known := 0
	for _, in := range instructions() {
		in := operands(in, "", func(bits int) code.Slot { return code.Slot{Bits: bits} })
		if !(neon{}).knows(&in, nil) {
			t.Logf("NEON leaves %s to the interpreter", describe(&in))
			continue
		}
		known++
		if kindOf(&in) != compute {
			continue
		}
		for flag := code.Flags(1); flag != 0; flag <<= 1 {
			with := in
			if with.Flags |= flag; flag != code.Wide && flag != code.High && (neon{}).knows(&with, nil) {
				t.Errorf("%s is known with flag %#x", describe(&in), flag)
			}
		}
		for _, r := range []softfloat.Rounding{softfloat.ToZero, softfloat.Up, softfloat.Down} {
			with := in
			if with.Rounding = r; (neon{}).knows(&with, nil) {
				t.Errorf("%s is known with rounding %v", describe(&in), r)
			}
		}
	}
	if known < 200 {
		t.Errorf("NEON knows %d instructions; want 200 or more", known)
	}
}

// TestNeonAssembles has LLVM read the code of random functions: with registers near and far in the
// register file, and with jumps that reach near and far. Each word before the table of places must be an
// instruction.
func TestNeonAssembles(t *testing.T) {
	t.Parallel()
	reader, err := exec.LookPath("llvm-mc")
	if err != nil {
		t.Skip("llvm-mc of Debian's package llvm is not installed: no code was read")
	}
	words := 0
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(7, seed))
		p := (neon{}).assemble([]*plan{randomPlan(r)}, &Options{Memos: 3}, seed%2 == 0)
		var text strings.Builder
		for _, b := range p.text[:len(p.text)-len(p.places)<<placeShift] {
			fmt.Fprintf(&text, "%#02x ", b)
		}
		cmd := exec.CommandContext(t.Context(), reader, "-triple=aarch64", "-disassemble")
		cmd.Stdin = strings.NewReader(text.String())
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), "warning") {
			t.Fatalf("seed %d: %v, %.2000s", seed, err, out)
		}
		words += len(p.text) / 4
	}
	if words < 10_000 {
		t.Errorf("%d instructions were read", words)
	}
	t.Logf("%d instructions", words)
}

// randomPlan plans a function of random instructions, for NEON.
func randomPlan(r *rand.Rand) *plan {
	f := newFunction()
	all := instructions()
	for range 2 + r.IntN(300) {
		for _, bits := range []int{1, 32, 64} {
			f.keep(f.alloc(bits))
		}
	}
	for range 60 {
		in := operands(all[r.IntN(len(all))], code.CombineAnd, func(bits int) code.Slot { return f.regs[bits][r.IntN(len(f.regs[bits]))] })
		f.block.Insts = append(f.block.Insts, in)
	}
	return newPlan(&f.Func, neon{}, &Options{})
}
