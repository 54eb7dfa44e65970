package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/packed"
)

var update = flag.Bool("update", false, "rewrite testdata/loops.txt")

// TestLoops holds the instructions in the loops of each kernel to the recorded numbers, so that no
// change makes them more unseen. The numbers of the twin, as nvcc -O3 -fmad=false compiled it, are
// next to them. A loop with copies of its body has more instructions and fewer iterations. NVIDIA's
// assembler unrolls some loops once more.
func TestLoops(t *testing.T) {
	t.Parallel()
	text, err := packed.Unpack(kernelsPTX)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := loopsOf(t, text), loopsOf(t, twinsPTX)
	var got strings.Builder
	for _, p := range small.problems() {
		fmt.Fprintf(&got, "%-13s %-18s nvcc %s\n", p.name, loopText(ours[p.name]), loopText(theirs[p.name]))
	}
	name := filepath.Join("testdata", "loops.txt")
	if *update {
		if err := os.WriteFile(name, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got.String() {
		t.Errorf("the loops have other numbers of instructions; if that is right, run the test with -update\nwant\n%s\ngot\n%s",
			want, &got)
	}
}

func loopText(sizes []int) string { return strings.Trim(fmt.Sprint(sizes), "[]") }

// loopsOf counts, by kernel, the instructions from the target of each branch back to the branch.
func loopsOf(t *testing.T, text string) map[string][]int {
	t.Helper()
	m, err := ptx.Parse("kernels.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	loops := map[string][]int{}
	for _, f := range m.Kernels() {
		labels := map[ptx.Name]int{}
		n := 0
		for _, s := range f.Body.Stmts {
			switch s := s.(type) {
			case *ptx.Label:
				labels[ptx.Name(s.Name)] = n
			case *ptx.Instr:
				n++
				if s.Op != "bra" {
					continue
				}
				if first, ok := labels[s.Args[0].(ptx.Name)]; ok {
					loops[f.Name] = append(loops[f.Name], n-first)
				}
			}
		}
	}
	return loops
}
