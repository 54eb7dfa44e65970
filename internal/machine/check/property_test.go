package check

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

var (
	programs = flag.Int("programs", 40, "random programs to check: TestRandomPrograms each with all its mutants, TestRandomBarriers with three arguments")
	seed     = flag.Uint64("seed", 7, "seed of the random programs")
)

// TestRandomPrograms checks random correct programs, which must be silent, and the same with one
// barrier, warp sync or fence left out or weaker, which must be found exactly when that makes two
// threads race.
func TestRandomPrograms(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(*seed, 7))
	racy, all := 0, 0
	for range *programs {
		p := randomProgram(rnd)
		p.makeCorrect()
		list := append([]*program{p}, p.mutants()...)
		all += len(list)
		racy += checkPrograms(t, list)
		if t.Failed() {
			break
		}
	}
	t.Logf("%d programs, of which %d race", all, racy)
	if *programs >= 10 && (racy < *programs || racy > all*9/10) {
		t.Errorf("%d of %d programs race: the test does not test", racy, all)
	}
}

// TestOrdersAgree runs random correct programs in several orders: whatever the order, what they
// leave in memory is the same.
func TestOrdersAgree(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(*seed, 8))
	var list []*program
	for len(list) < 20 {
		p := randomProgram(rnd)
		if p.makeCorrect(); !p.hands.on { // which block is the last is up to the order
			list = append(list, p)
		}
	}
	b := compilePrograms(t, list)
	for i, p := range list {
		name := fmt.Sprintf("K%d", i)
		var want []byte
		for n, l := range []sim.Launch{
			{Order: sim.Ascending}, {Order: sim.Descending}, {Order: sim.Random, Seed: 1}, {Order: sim.Random, Seed: 2}, {Order: sim.Random, Seed: 3},
		} {
			args := p.args()
			l.Grid, l.Block, l.Params = x(blocks), x(p.threads), b.params(b.entry(name), args...)
			if _, err := b.m.Launch(t.Context(), b.entry(name), l); err != nil {
				t.Fatal(err)
			}
			got := b.contents(l.Params, args)
			if n == 0 {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("order %d, seed %d gives another result than the ascending one:\n%s", l.Order, l.Seed, p.kernel("K"))
			}
		}
	}
}

// TestMemoryOfRandomPrograms checks random programs. Some of them race, and so leave different
// memory in each order. Each order must begin with the same memory, and the first order's result
// must remain.
func TestMemoryOfRandomPrograms(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(*seed, 9))
	var list []*program
	for range 10 {
		list = append(list, randomProgram(rnd))
	}
	b := compilePrograms(t, list)
	for i, p := range list {
		name := fmt.Sprintf("K%d", i)
		e, args := b.entry(name), p.args()
		l := sim.Launch{Grid: x(blocks), Block: x(p.threads), Params: b.params(e, args...)}
		if _, err := b.m.Launch(t.Context(), e, l); err != nil {
			t.Fatal(err)
		}
		want := b.contents(l.Params, args)
		l.Params = b.params(e, args...)
		b.checkLaunch(name, l, Options{Orders: 4, Seed: 5})
		if got := b.contents(l.Params, args); !bytes.Equal(got, want) {
			t.Errorf("memory is not what the ascending order makes it:\n%s", p.kernel("K"))
		}
	}
}

// blocks is how many blocks random programs are launched with.
const blocks = 2

// args are the arguments of the program's kernel.
func (p *program) args() []any {
	cells := blocks * p.threads
	g := map[string]any{"int8": make([]int8, cells), "int16": make([]int16, cells), "int32": make([]int32, cells), "int64": make([]int64, cells)}
	return []any{g[p.elems[2]], make([]uint32, 1), make([]int64, cells)}
}

// contents returns the bytes of the buffers of a launch with these arguments. Each argument is an
// address and a length in the parameters.
func (b *bench) contents(params []byte, args []any) []byte {
	b.tb.Helper()
	var all []byte
	for i, a := range args {
		addr := binary.LittleEndian.Uint64(params[16*i:])
		mem, err := b.m.Bytes(addr, int64(binary.Size(a)))
		if err != nil {
			b.tb.Fatal(err)
		}
		all = append(all, mem...)
	}
	return all
}

// compilePrograms makes kernels K0, K1, … of the programs.
func compilePrograms(t *testing.T, list []*program) *bench {
	t.Helper()
	var text strings.Builder
	text.WriteString("package random\n\nimport \"github.com/gridstride/gridstride/gpu\"\n\n")
	for i, p := range list {
		text.WriteString(p.kernel(fmt.Sprintf("K%d", i)) + "\n")
	}
	return compileSource(t, &compile.Source{
		Path: "example.com/random", Name: "random", Files: []compile.File{{Name: "random.go", Text: []byte(text.String())}},
	})
}

// checkPrograms compares what the checks find in each program with what the oracle says, and counts
// those that race.
func checkPrograms(t *testing.T, list []*program) (racy int) {
	b := compilePrograms(t, list)
	for i, p := range list {
		r := b.check(fmt.Sprintf("K%d", i), x(blocks), x(p.threads), Options{Orders: 2 + i%2}, p.args()...)
		races := p.race() >= 0
		if races {
			racy++
		}
		if found := len(r.Findings) > 0; found != races {
			t.Errorf("found: %v, want %v:\n%s\n%v", found, races, p.kernel("K"), r)
		}
		for _, f := range r.Findings {
			if f.Tool != report.Racecheck {
				t.Errorf("a finding of %s:\n%s\n%v", f.Tool, p.kernel("K"), r)
			}
		}
	}
	return racy
}
