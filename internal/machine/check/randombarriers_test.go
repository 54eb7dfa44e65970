package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// Random control flow around barriers. A thread's way through it is easy to follow in Go, and gives
// the barriers that the thread comes to, in order. The threads of a block must come to the same
// ones.

// choice is a condition, or a number of rounds, of a thread: as Go source and as what it is.
type choice struct {
	text string
	of   func(thread, block, n int) int
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// conditions and rounds: the first half of each is the same for all threads of a block.
var (
	conditions = []choice{
		{"n > 2", func(_, _, n int) int { return truth(n > 2) }},
		{"gpu.BlockIdx.X == 0", func(_, block, _ int) int { return truth(block == 0) }},
		{"n+gpu.BlockIdx.X == 3", func(_, block, n int) int { return truth(n+block == 3) }},
		{"t < 32", func(t, _, _ int) int { return truth(t < 32) }},
		{"t%2 == 0", func(t, _, _ int) int { return truth(t%2 == 0) }},
		{"t < 32*n", func(t, _, n int) int { return truth(t < 32*n) }},
	}
	rounds = []choice{
		{"2", func(_, _, _ int) int { return 2 }},
		{"n", func(_, _, n int) int { return n }},
		{"gpu.BlockIdx.X+1", func(_, block, _ int) int { return block + 1 }},
		{"1+t/32", func(t, _, _ int) int { return 1 + t/32 }},
		{"t%3", func(t, _, _ int) int { return t % 3 }},
		{"min(t, n)", func(t, _, n int) int { return min(t, n) }},
	}
)

// flowNode is a barrier, an if or a loop.
type flowNode struct {
	barrier    int // its number, counted from 1
	on         choice
	loop       bool
	body, rest []*flowNode // of the loop or the then part; the else part
}

// randomFlow makes a list of nodes; the more uniform, the fewer of its choices depend on the
// thread.
func randomFlow(rnd *rand.Rand, depth, uniform int, barriers *int) []*flowNode {
	var list []*flowNode
	for range 1 + rnd.IntN(3) {
		kind := rnd.IntN(3)
		if depth == 0 || kind == 0 {
			*barriers++
			list = append(list, &flowNode{barrier: *barriers})
			continue
		}
		choices := [][]choice{conditions, rounds}[kind-1]
		at := rnd.IntN(len(choices) / 2)
		if rnd.IntN(uniform) == 0 {
			at += len(choices) / 2
		}
		n := &flowNode{on: choices[at], loop: kind == 2, body: randomFlow(rnd, depth-1, uniform, barriers)}
		if !n.loop && rnd.IntN(2) == 0 {
			n.rest = randomFlow(rnd, depth-1, uniform, barriers)
		}
		list = append(list, n)
	}
	return list
}

// walk is the barriers that a thread comes to.
func walk(list []*flowNode, thread, block, n int) (barriers []int) {
	for _, node := range list {
		switch v := 0; {
		case node.barrier > 0:
			barriers = append(barriers, node.barrier)
		default:
			v = node.on.of(thread, block, n)
			if !node.loop && v == 0 {
				barriers = append(barriers, walk(node.rest, thread, block, n)...)
			}
			for range v {
				barriers = append(barriers, walk(node.body, thread, block, n)...)
			}
		}
	}
	return barriers
}

func writeFlow(s *strings.Builder, list []*flowNode, indent string) {
	for _, n := range list {
		switch {
		case n.barrier > 0:
			fmt.Fprintf(s, "%sgpu.SyncThreads() // %d\n", indent, n.barrier)
			continue
		case n.loop:
			fmt.Fprintf(s, "%sfor range %s {\n", indent, n.on.text)
		default:
			fmt.Fprintf(s, "%sif %s {\n", indent, n.on.text)
		}
		writeFlow(s, n.body, indent+"\t")
		if n.rest != nil {
			fmt.Fprintf(s, "%s} else {\n", indent)
			writeFlow(s, n.rest, indent+"\t")
		}
		fmt.Fprintf(s, "%s}\n", indent)
	}
}

// TestRandomBarriers checks random control flow around barriers: it must be silent when all threads
// of each block come to the same barriers, and be found when not.
func TestRandomBarriers(t *testing.T) {
	t.Parallel()
	const threads = 70
	kernels := *programs
	rnd := rand.New(rand.NewPCG(*seed, 9))
	var flows [][]*flowNode
	text := &strings.Builder{}
	text.WriteString("package random\n\nimport \"github.com/gridstride/gridstride/gpu\"\n\n")
	for i := range kernels {
		barriers := 0
		flows = append(flows, randomFlow(rnd, 3, 1+rnd.IntN(12), &barriers))
		fmt.Fprintf(text, "//gpu:kernel\n//gpu:nobounds\nfunc K%d(out []int32, n int) {\n\tt := gpu.ThreadIdx.X\n", i)
		writeFlow(text, flows[i], "\t")
		fmt.Fprintf(text, "\tout[%d*gpu.BlockIdx.X+t] = int32(n)\n}\n\n", threads)
	}
	b := compileSource(t, &compile.Source{
		Path: "example.com/random", Name: "random", Files: []compile.File{{Name: "random.go", Text: []byte(text.String())}},
	})
	bad := 0
	for i, flow := range flows {
		for _, n := range []int{0, 1, 3} {
			want := report.Kind(silent)
			for block := range blocks {
				for thread := range threads {
					if !slices.Equal(walk(flow, thread, block, n), walk(flow, 0, block, n)) {
						want = barrier
					}
				}
			}
			bad += truth(want == barrier)
			verdict(t, b.check(fmt.Sprintf("K%d", i), x(blocks), x(threads), Options{}, make([]int32, blocks*threads), n), want)
			if t.Failed() {
				s := &strings.Builder{}
				writeFlow(s, flow, "")
				t.Fatalf("n = %d:\n%s", n, s)
			}
		}
	}
	t.Logf("%d of %d launches do not bring all threads to the same barriers", bad, 3*kernels)
	if kernels >= 10 && (bad < kernels/2 || bad > 5*kernels/2) {
		t.Error("that is too one-sided a test")
	}
}
