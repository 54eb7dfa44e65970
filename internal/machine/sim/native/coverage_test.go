package native

import (
	"cmp"
	"flag"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/decode"
	"github.com/gridstride/gridstride/internal/ptx"
)

var coverage = flag.Bool("coverage", false, "print which instructions the kernels of the repository leave to the interpreter")

// census counts instructions of kernels by what runs them. An instruction in a loop counts for
// loopRuns, one in a loop in that for loopRuns squared.
type census struct {
	all, known float64
	left       map[string]float64 // by opcode
}

const loopRuns = 8

// TestCoverage holds the share of instructions of this repository's kernels that machine code runs.
func TestCoverage(t *testing.T) {
	t.Parallel()
	if processor() == nil {
		t.Skip("this processor, or this system, has no compiled kernels")
	}
	sum := map[string]*census{}
	for _, path := range kernelFiles(t) {
		group := strings.Join(strings.Split(path, string(filepath.Separator))[4:6], "/")
		if sum[group] == nil {
			sum[group] = &census{left: map[string]float64{}}
		}
		sum[group].addModule(t, path)
	}
	for _, group := range slices.Sorted(maps.Keys(sum)) {
		c := sum[group]
		t.Logf("%s: machine code runs %.1f%%", group, 100*c.known/c.all)
		if *coverage {
			c.print(t)
		}
		if least := leastCoverage[group]; c.known < least*c.all {
			t.Errorf("%s: machine code runs %.3f of the instructions; want at least %.3f", group, c.known/c.all, least)
		}
	}
}

// leastCoverage is the least share by folder, of the target that knows the fewest instructions.
var leastCoverage = map[string]float64{"examples/dot": .98, "examples/gallery": .98, "examples/ladder": .85, "examples/records": .98}

// kernelFiles are the files of PTX that the compiler made for the examples. With -coverage they are those
// for the other folders that users see too.
func kernelFiles(t *testing.T) (paths []string) {
	roots := []string{"examples"}
	if *coverage {
		roots = append(roots, "docs/tutorial", "gpu", "internal/library/kernels")
	}
	for _, root := range roots {
		err := filepath.WalkDir(filepath.Join("../../../..", root), func(path string, _ fs.DirEntry, err error) error {
			if strings.HasPrefix(filepath.Base(path), "kernels_gen") && strings.Contains(path, ".ptx") {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// moduleAt reads PTX.
func moduleAt(t *testing.T, path string) *ptx.Module {
	text, err := os.ReadFile(path)
	if err == nil && strings.HasSuffix(path, ".zst") {
		var d *zstd.Decoder
		if d, err = zstd.NewReader(nil); err == nil {
			defer d.Close()
			text, err = d.DecodeAll(text, nil)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	mod, err := ptx.Parse(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

func (c *census) addModule(t *testing.T, path string) {
	mod := moduleAt(t, path)
	loader := decode.New(mod, decode.Env{LocalBytes: 1 << 19})
	for _, f := range mod.Kernels() {
		k := loader.Kernel(f)
		for _, fn := range k.Funcs {
			c.add(fn)
		}
	}
}

// add counts the instructions of a function.
func (c *census) add(f *code.Func) {
	for _, bp := range newPlan(f, processor(), &Options{}).blocks {
		weight := math.Pow(loopRuns, float64(depthOf(f, bp.Block)))
		for i := range bp.Insts {
			c.count(&bp.Insts[i], weight, bp.known[i])
		}
		if bp.End == code.EndOp && bp.Op != nil && len(f.Blocks) > 1 {
			c.count(bp.Op, weight, bp.knowsOp || bp.switches)
		}
	}
}

func (c *census) count(in *code.Inst, weight float64, known bool) {
	c.all += weight
	if known {
		c.known += weight
		return
	}
	name := string(in.Op) + in.Text
	if in.Guard != nil {
		name = "@ " + name
	}
	c.left[name] += weight
}

// depthOf is how many loops a block is in: jumps back to it, or to a block before it, from it or from
// a later one.
func depthOf(f *code.Func, b *code.Block) (n int) {
	heads := map[int]bool{}
	for _, from := range f.Blocks {
		for _, to := range []*code.Block{from.Next, from.Target} {
			if to != nil && to.Order[0] <= b.Order[0] && b.Order[0] <= from.Order[0] && to.Order[0] <= from.Order[0] {
				heads[to.Order[0]] = true
			}
		}
	}
	return len(heads)
}

// print lists the opcodes that weigh most.
func (c *census) print(t *testing.T) {
	names := slices.SortedFunc(maps.Keys(c.left), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.left[b], c.left[a]), cmp.Compare(a, b))
	})
	for _, name := range names[:min(len(names), 25)] {
		t.Logf("%8.3f%%  %s", 100*c.left[name]/c.all, name)
	}
}
