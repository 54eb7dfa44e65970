package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/packed"
)

var (
	ptxas    = flag.String("ptxas", "", "NVIDIA's assembler, for TestMachineCode")
	nvdisasm = flag.String("nvdisasm", "", "NVIDIA's disassembler, for TestMachineCode")
)

// assembler is the release of ptxas whose numbers testdata/machine.txt has. Another one makes other
// code.
const assembler = "release 12.4"

// machineTarget is the target that the kernels are assembled for: an H100.
const machineTarget = "sm_90"

// machineCode says how much machine code ptxas makes of a kernel.
type machineCode struct {
	registers, spilled int   // spilled are bytes stored
	all                int   // instructions, with what reports a failure
	loops              []int // the instructions of each
}

// TestMachineCode has NVIDIA's assembler take each kernel, and holds the instructions in the loops
// of the machine code, the registers and the spills to the recorded numbers. The numbers of the
// twin are next to them, and next to the numbers of fast kernels the exact kernels' numbers. .ci/run
// runs it with -ptxas and -nvdisasm.
func TestMachineCode(t *testing.T) {
	t.Parallel()
	if *ptxas == "" || *nvdisasm == "" {
		t.Skip("needs -ptxas and -nvdisasm")
	}
	if version := command(t, *ptxas, "--version"); !strings.Contains(version, assembler) {
		t.Skipf("the numbers are of ptxas, %s; this one is %s", assembler, version)
	}
	text, err := packed.Unpack(kernelsPTX)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := assemble(t, text), assemble(t, twinsPTX)
	var exact, fast strings.Builder
	for _, p := range small.problems() {
		o, n := ours[p.name], theirs[p.name]
		fmt.Fprintf(&exact, "%-13s %3d instructions, %2d registers, %d spilled, loops %-18s nvcc %3d instructions, %2d registers, loops %s\n",
			p.name, o.all, o.registers, o.spilled, loopText(o.loops), n.all, n.registers, loopText(n.loops))
	}
	for _, p := range fastMode.of(small.problems()) {
		o, f := ours[p.name], ours[p.name+fastMode.suffix]
		fmt.Fprintf(&fast, "%-16s %2d registers, %d spilled, loops %-18s exact %2d registers, loops %s\n",
			p.name+fastMode.suffix, f.registers, f.spilled, loopText(f.loops), o.registers, loopText(o.loops))
	}
	compareRecorded(t, "machine.txt", exact.String())
	compareRecorded(t, "machine_fast.txt", fast.String())
}

// compareRecorded compares numbers with those in a file of testdata.
func compareRecorded(t *testing.T, file, got string) {
	t.Helper()
	name := filepath.Join("testdata", file)
	recorded, _ := os.ReadFile(name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(recorded) != got {
		t.Errorf("the machine code has other numbers; if that is right, run the test with -update\nwant\n%s\ngot\n%s",
			recorded, got)
	}
}

// command runs a command and returns what it prints.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, out)
	}
	return string(out)
}

var (
	newestVersion = regexp.MustCompile(`Unsupported \.version .* current version is '([0-9.]*)'`)
	ptxVersion    = regexp.MustCompile(`(?m)^\.version .*$`)
	compiling     = regexp.MustCompile(`Compiling entry function '(\w+)'`)
	spillStores   = regexp.MustCompile(`(\d+) bytes spill stores`)
	usedRegisters = regexp.MustCompile(`Used (\d+) registers`)
)

// assemble assembles PTX and takes the machine code apart, by kernel. PTX of a newer version than
// ptxas knows becomes PTX of the newest that it does know.
func assemble(t *testing.T, text string) map[string]*machineCode {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.ptx"), filepath.Join(dir, "out.cubin")
	write := func() {
		if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write()
	args := []string{"-arch=" + machineTarget, "-v", in, "-o", out}
	if log, err := exec.CommandContext(t.Context(), *ptxas, args...).CombinedOutput(); err != nil {
		if m := newestVersion.FindSubmatch(log); m != nil {
			text = ptxVersion.ReplaceAllString(text, ".version "+string(m[1]))
			write()
		}
	}
	kernels := registersOf(command(t, *ptxas, args...))
	all, loops := machineLoops(command(t, *nvdisasm, "-c", out))
	for name, k := range kernels {
		k.all, k.loops = all[name], loops[name]
	}
	return kernels
}

// registersOf reads what ptxas -v says.
func registersOf(log string) map[string]*machineCode {
	kernels := map[string]*machineCode{}
	var k *machineCode
	for line := range strings.Lines(log) {
		if m := compiling.FindStringSubmatch(line); m != nil {
			k = &machineCode{}
			kernels[m[1]] = k
		}
		if m := spillStores.FindStringSubmatch(line); m != nil && k != nil {
			k.spilled, _ = strconv.Atoi(m[1])
		}
		if m := usedRegisters.FindStringSubmatch(line); m != nil && k != nil {
			k.registers, _ = strconv.Atoi(m[1])
		}
	}
	return kernels
}

var (
	machineLabel  = regexp.MustCompile(`^(\.L_\w+|\$[\w$]+):`)
	machineInstr  = regexp.MustCompile(`^\s*/\*[0-9a-f]{4,}\*/\s+(.*)$`)
	machineBranch = regexp.MustCompile("\\bBRA\\b.*`\\((\\.L_\\w+)\\)")
)

// machineLoops counts, by kernel, all instructions, and those from the target of each branch back to
// the branch.
// Code with an exit between is no loop: rare ways are below the kernel's end, and lead back up. It
// does not count the code of divisions and roots that a kernel calls.
func machineLoops(text string) (all map[string]int, loops map[string][]int) {
	all, loops = map[string]int{}, map[string][]int{}
	for _, section := range strings.Split(text, "\n//--------------------- .text.")[1:] {
		name, body, _ := strings.Cut(section, " ")
		labels := map[string]int{}
		var instrs []string
		for line := range strings.SplitSeq(body, "\n") {
			if m := machineLabel.FindStringSubmatch(line); m != nil {
				if strings.HasPrefix(m[1], "$") {
					break
				}
				labels[m[1]] = len(instrs)
			}
			m := machineInstr.FindStringSubmatch(line)
			if m == nil || strings.HasPrefix(m[1], "NOP") { // the space after a kernel
				continue
			}
			all[name]++
			instrs = append(instrs, strings.TrimSpace(m[1]))
			at := len(instrs) - 1
			branch := machineBranch.FindStringSubmatch(m[1])
			if branch == nil {
				continue
			}
			first, known := labels[branch[1]]
			exits := func(in string) bool { return strings.HasPrefix(in, "EXIT") }
			if known && first < at && !slices.ContainsFunc(instrs[first:], exits) {
				loops[name] = append(loops[name], at-first+1)
			}
		}
	}
	return all, loops
}

// TestMachineLoops counts the instructions and the loops of a listing.
func TestMachineLoops(t *testing.T) {
	t.Parallel()
	const listing = `	.headerflags	@"EF_CUDA_SM90"

//--------------------- .text.Two               --------------------------
	.section	.text.Two,"ax",@progbits
Two:
.text.Two:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_2:
        /*0010*/                   MOV R0, RZ ;
.L_x_1:
        /*0020*/                   IADD3 R0, R0, 0x1, RZ ;
        /*0030*/               @P0 EXIT ;
        /*0040*/              @!P1 BRA ` + "`(.L_x_3)" + ` ;
.L_x_4:
        /*0050*/               @P1 BRA ` + "`(.L_x_1)" + ` ;
        /*0060*/               @P2 BRA ` + "`(.L_x_2)" + ` ;
        /*0070*/                   EXIT ;
.L_x_3:
        /*0080*/                   MOV R0, RZ ;
        /*0090*/                   BRA ` + "`(.L_x_4)" + `;
.L_x_5:
        /*00a0*/                   BRA ` + "`(.L_x_5)" + `;
        .weak           $__internal_0_$__division
$__internal_0_$__division:
.L_x_6:
        /*00b0*/                   MOV R0, RZ ;
        /*00c0*/               @P1 BRA ` + "`(.L_x_6)" + ` ;

//--------------------- .text.None               --------------------------
None:
        /*0000*/                   EXIT ;
`
	all, loops := machineLoops(listing)
	if got := fmt.Sprint(all, loops); got != "map[None:1 Two:11] map[Two:[4 6]]" {
		t.Errorf("instructions and loops %s, want 11 and loops of 4 and 6 in Two", got)
	}
}
