package perf

import (
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/proof/mathtest"
	"github.com/gridstride/gridstride/internal/ptx"
)

var (
	mathCode = flag.Bool("math-code", false, "count the machine instructions of each function beside those of CUDA C++, without a GPU")
	nvdisasm = flag.String("nvdisasm", "nvdisasm", "for -math-code: the disassembler")
	ptxas    = flag.String("ptxas", "ptxas", "for -math-code: the assembler")
)

// codeClasses are the columns of -math-code.
var codeClasses = []string{"f32", "f64", "mufu", "int", "conv", "flow", "mem"}

// machineCounts are machine instructions of a call, by class.
type machineCounts map[string]float64

func (m machineCounts) total() (sum float64) {
	for _, n := range m {
		sum += n
	}
	return sum
}

// cycles is how long a warp's scheduler on an H100 or H200 is busy with a call: it gives out one
// instruction a cycle, and each unit takes a warp in as many cycles as it needs.
func (m machineCounts) cycles() float64 {
	return max(m.total(), 2*m["f64"], 2*m["int"], 8*m["mufu"]+8*m["conv"])
}

// TestMathCode prints how many machine instructions a call of each function takes at its usual
// arguments, ours and CUDA's. The PTX runs on the simulator, which counts the runs of each line.
// The assembler gives the line of each machine instruction. Without a CUDA compiler, -nvcc "",
// CUDA's columns are 0.
func TestMathCode(t *testing.T) {
	if !*mathCode {
		t.Skip("-math-code is not given")
	}
	match := regexp.MustCompile("^(" + *mathFunctions + ")$")
	var list []*mathtest.Function
	for i := range mathtest.Functions {
		list = append(list, &mathtest.Functions[i])
	}
	dir := t.TempDir()
	fmt.Printf("%-12s %-8s %6s %6s %5s", "function", "type", "ours", "CUDA", "ratio")
	for _, c := range codeClasses {
		fmt.Printf(" %11s", c)
	}
	fmt.Println()
	for _, f := range timings(list) {
		if *mathFunctions != "" && !match.MatchString(f.Name) {
			continue
		}
		ours, err := compileMathematics([]string{"repeat"}, f.Function)
		must(t, err)
		var theirs string
		if *nvcc != "" {
			theirs, err = compileCUDA(t.Context(), f, dir, "9.0")
			must(t, err)
		}
		for _, typ := range []string{"float32", "float64"} {
			a, b := countMachine(t, f, ours, typ, dir), machineCounts{}
			if theirs != "" {
				b = countMachine(t, f, theirs, typ, dir)
			}
			fmt.Printf("%-12s %-8s %6.1f %6.1f %5.2f", f.Name, typ, a.cycles(), b.cycles(), b.cycles()/a.cycles())
			for _, c := range codeClasses {
				fmt.Printf(" %5.1f/%5.1f", a[c], b[c])
			}
			fmt.Println()
		}
	}
}

// countMachine counts the machine instructions of one call.
func countMachine(t *testing.T, f *timing, text, typ, dir string) machineCounts {
	t.Helper()
	text = numberLines(text)
	entry := f.Entry() + "_repeat_" + typ
	runs := lineRuns(t, f, text, entry, typ)
	name := filepath.Join(dir, "k")
	must(t, os.WriteFile(name+".ptx", []byte(text), 0o666))
	_, err := output(exec.CommandContext(t.Context(), *ptxas, "-arch=sm_90", "-lineinfo", "-o", name+".cubin", name+".ptx"))
	must(t, err)
	code, err := output(exec.CommandContext(t.Context(), *nvdisasm, "-c", "-g", name+".cubin"))
	must(t, err)
	return weigh(code, entry, runs)
}

func output(c *exec.Cmd) (string, error) {
	out, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", c.Path, err, out)
	}
	return string(out), nil
}

// numberLines makes each instruction of a PTX text a separate source line.
func numberLines(text string) string {
	var b strings.Builder
	n := 1
	put := func(line string) { b.WriteString(line + "\n"); n++ }
	whole := true // the last line ended a statement
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		s := strings.TrimSpace(line)
		if strings.HasPrefix(s, ".loc ") || strings.HasPrefix(s, ".loc\t") || strings.HasPrefix(s, ".file") {
			continue
		}
		if whole && s != "" && !strings.HasSuffix(s, ":") && !strings.ContainsAny(s[:1], "./{})$") {
			put(fmt.Sprintf("\t.loc 1 %d 1", n+1))
		}
		put(line)
		whole = s == "" && whole || s != "" && strings.ContainsAny(s[len(s)-1:], ";{}:") || strings.HasPrefix(s, "/")
		if strings.HasPrefix(s, ".address_size") {
			put(`.file 1 "k.ptx"`)
		}
	}
	return b.String()
}

// codeWarps and codeRounds are the size of the launch on the simulator: a block a warp.
const codeWarps, codeRounds = 32, 4

// lineRuns is how often each line of the PTX runs in a call.
func lineRuns(t *testing.T, f *timing, text, entry, typ string) map[int]float64 {
	t.Helper()
	module, err := ptx.Parse("k.ptx", text)
	must(t, err)
	m := sim.New(sim.Config{})
	program, err := m.Load(module)
	must(t, err)
	kernel, err := program.Entry(entry)
	must(t, err)
	c := counters.New()
	launch := sim.Launch{Grid: [3]int{codeWarps, 1, 1}, Block: [3]int{32, 1, 1}, Observer: c, Steps: true,
		Params: codeParams(t, m, f, typ == "float32", strings.Contains(text, "gridstride_fault"))}
	_, err = m.Launch(t.Context(), kernel, launch)
	must(t, err)
	runs := map[int]float64{}
	for _, l := range c.Profile(entry, &kernel.Kernel, launch.Grid, launch.Block, nil).Lines {
		runs[l.Source.Line] += float64(l.Instructions) / (codeWarps * codeRounds * 8)
	}
	return runs
}

// codeParams are the bytes of the parameters of a kernel that repeats f: sums, rounds and ranges,
// and those that only kernels of ours have.
func codeParams(t *testing.T, m *sim.Machine, f *timing, single, ours bool) (params []byte) {
	t.Helper()
	put := func(v uint64, size int) {
		for len(params)%size != 0 {
			params = append(params, 0)
		}
		params = binary.LittleEndian.AppendUint64(params, v)[:len(params)+size]
	}
	sums, err := m.Alloc(8 * 32 * codeWarps)
	must(t, err)
	put(sums, 8)
	if ours {
		put(32*codeWarps, 8) // the length of sums
	}
	put(codeRounds, 8)
	ranges := []mathtest.Interval{f.Usual.X, f.Usual.Y}
	if !f.Pair {
		ranges = ranges[:1]
	}
	for _, x := range ranges {
		for _, v := range []float64{x.Low, x.High - x.Low} {
			if single {
				put(uint64(math.Float32bits(float32(v))), 4)
			} else {
				put(math.Float64bits(v), 8)
			}
		}
	}
	if ours {
		fault, err := m.Alloc(4096)
		must(t, err)
		put(fault, 8)
	}
	return params
}

var (
	machineLine  = regexp.MustCompile(`//## File "k.ptx", line (\d+)`)
	machineInstr = regexp.MustCompile(`/\*[0-9a-f]{4,}\*/\s+(?:\{?\s*@!?U?P\w+ )?([A-Z][A-Z0-9_.]*)(.*);`)
)

// weigh adds the machine instructions up, each as often as its line runs. Where a block calls one
// of the assembler's own functions it is the slow path of a division or a square root, and left
// out.
func weigh(code, entry string, runs map[int]float64) machineCounts {
	_, code, _ = strings.Cut(code, ".text."+entry+":")
	code, _, _ = strings.Cut(code, "\n\t.section")
	code, _, _ = strings.Cut(code, "\n$__internal_")
	counts, block := machineCounts{}, machineCounts{}
	line, slow := 0, false
	end := func() {
		for class, n := range block {
			if !slow {
				counts[class] += n
			}
		}
		block, slow = machineCounts{}, false
	}
	for text := range strings.Lines(code) {
		if m := machineLine.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1])
			continue
		}
		if strings.HasPrefix(text, ".L") || strings.HasPrefix(text, "$") {
			end()
			continue
		}
		m := machineInstr.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		class := machineClass(m[1])
		slow = slow || strings.HasPrefix(m[1], "CALL") && strings.Contains(m[2], "__cuda_sm")
		block[class] += runs[line]
		if class == "flow" && !strings.HasPrefix(m[1], "BS") {
			end()
		}
	}
	end()
	return counts
}

// machineClasses are the units of machine instructions by name, without what follows the point. All
// others are integer instructions.
var machineClasses = map[string]string{
	"MUFU": "mufu",
	"F2I":  "conv", "I2F": "conv", "F2F": "conv", "FRND": "conv", "POPC": "conv", "FLO": "conv",
	"DADD": "f64", "DMUL": "f64", "DFMA": "f64", "DSETP": "f64",
	"FADD": "f32", "FMUL": "f32", "FFMA": "f32", "IMAD": "f32", "MOV": "f32",
	"BRA": "flow", "BSSY": "flow", "BSYNC": "flow", "BREAK": "flow", "CALL": "flow", "RET": "flow", "EXIT": "flow",
	"LDG": "mem", "STG": "mem", "LDC": "mem", "ULDC": "mem", "LDL": "mem", "STL": "mem", "LDS": "mem", "STS": "mem", "S2R": "mem",
}

// machineClass is the unit of a machine instruction.
func machineClass(op string) string {
	name, _, _ := strings.Cut(op, ".")
	return cmp.Or(machineClasses[name], "int")
}
