package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/machine/check/initcheck"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// Random programs over memory that is only partly written. Each step is followed by a
// barrier. In a step some threads each set a cell, copy one, compute with one, or decide by one. An
// unwritten cell is used when a thread decides by it, or when a value computed from it reaches
// global memory. Copying it is no use.

// initStep is the work of threads lo to hi, on cell (ra*t+rb)%n of one array and cell (wa*t+wb)%n
// of another.
type initStep struct {
	op             string // "set", "copy", "compute" or "decide"
	read, write    int    // arrays 0 and 1 are in shared memory, 2 in global
	ra, rb, wa, wb int
	lo, hi         int
}

const initCells = 64

func randomInitSteps(rnd *rand.Rand) []initStep {
	var steps []initStep
	for range 3 + rnd.IntN(8) {
		s := initStep{
			op: []string{"set", "set", "set", "copy", "copy", "compute", "decide"}[rnd.IntN(7)], read: rnd.IntN(3),
			ra: rnd.IntN(initCells), rb: rnd.IntN(initCells), wa: 1 + 2*rnd.IntN(initCells/2), wb: rnd.IntN(initCells), hi: initCells,
		}
		s.write = (s.read + 1 + rnd.IntN(2)) % 3
		if rnd.IntN(3) == 0 {
			s.lo, s.hi = rnd.IntN(initCells), 1+rnd.IntN(initCells)
		}
		steps = append(steps, s)
	}
	return steps
}

// The states of a cell.
const (
	unwritten = iota // or copied from there
	computed         // from what is unwritten
	written
)

// usesUnwritten says whether the steps use what nothing has written.
func usesUnwritten(steps []initStep) bool {
	var cells [3][initCells]int
	for _, s := range steps {
		for t := s.lo; t < s.hi; t++ {
			read, write := cells[s.read][(s.ra*t+s.rb)%initCells], &cells[s.write][(s.wa*t+s.wb)%initCells]
			switch s.op {
			case "set":
				*write = written
				continue
			case "decide":
				if read != written {
					return true
				}
				continue
			case "compute":
				read = max(read, computed)
			}
			if s.write == 2 && read == computed {
				return true
			}
			*write = read
		}
	}
	return false
}

// initKernel is the steps in Go.
func initKernel(name string, steps []initStep) string {
	var s strings.Builder
	fmt.Fprintf(&s, "//gpu:kernel\n//gpu:nobounds\nfunc %s(g, out []int32) {\n", name)
	fmt.Fprintf(&s, "\ta0, a1 := gpu.Shared[[%d]int32](), gpu.Shared[[%[1]d]int32]()\n", initCells)
	fmt.Fprintf(&s, "\ta2 := g[%d*gpu.BlockIdx.X:]\n\tt := gpu.ThreadIdx.X\n\t_, _, _ = a0, a1, a2\n", initCells)
	for i, st := range steps {
		read := fmt.Sprintf("a%d[(%d*t+%d)%%%d]", st.read, st.ra, st.rb, initCells)
		write := fmt.Sprintf("a%d[(%d*t+%d)%%%d]", st.write, st.wa, st.wb, initCells)
		fmt.Fprintf(&s, "\tif t >= %d && t < %d {\n", st.lo, st.hi)
		switch st.op {
		case "set":
			fmt.Fprintf(&s, "\t\t%s = int32(t) + %d\n", write, i)
		case "copy":
			fmt.Fprintf(&s, "\t\t%s = %s\n", write, read)
		case "compute":
			fmt.Fprintf(&s, "\t\t%s = %s*3 + %d\n", write, read, i)
		case "decide":
			fmt.Fprintf(&s, "\t\tif %s > 20 {\n\t\t\tout[%d*gpu.BlockIdx.X+t] = %d\n\t\t}\n", read, initCells, i)
		}
		fmt.Fprint(&s, "\t}\n\tgpu.SyncThreads()\n")
	}
	fmt.Fprint(&s, "}\n")
	return s.String()
}

// TestRandomInit checks random programs that write some of their memory: they must be found exactly
// when they use the rest.
func TestRandomInit(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(*seed, 10))
	var list [][]initStep
	text := &strings.Builder{}
	text.WriteString("package random\n\nimport \"github.com/gridstride/gridstride/gpu\"\n\n")
	for i := range *programs * 2 {
		list = append(list, randomInitSteps(rnd))
		text.WriteString(initKernel(fmt.Sprintf("K%d", i), list[i]))
	}
	b := compileSource(t, &compile.Source{
		Path: "example.com/random", Name: "random", Files: []compile.File{{Name: "random.go", Text: []byte(text.String())}},
	})
	bad := 0
	for i, steps := range list {
		g, out := b.alloc(make([]int32, blocks*initCells)), b.alloc(make([]int32, blocks*initCells))
		init := &initcheck.Init{}
		init.Fresh(g, 4*blocks*initCells)
		want := report.Kind(silent)
		if usesUnwritten(steps) {
			bad++
			want = uninit
		}
		r := b.check(fmt.Sprintf("K%d", i), x(blocks), x(initCells), Options{Tools: []report.Tool{report.Initcheck}, Init: init}, g, blocks*initCells, out, blocks*initCells)
		if verdict(t, r, want); t.Failed() {
			t.Fatalf("%s\n%+v", initKernel("K", steps), steps)
		}
	}
	t.Logf("%d of %d programs use what nothing has written", bad, len(list))
	if len(list) >= 20 && (bad < len(list)/5 || bad > len(list)*4/5) {
		t.Error("that is too one-sided a test")
	}
}
