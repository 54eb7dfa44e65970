package tuned

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestFind reads the constants of declarations, and says what is wrong with others.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ decl, want string }{
		{"//gpu:tune BenchmarkA n=1,2\nconst n = 2", "BenchmarkA [] n=[1 2]@1"},
		{"// Doc.\n//\n//gpu:tune  TestA BenchmarkA  n=0x10,-8 on=true,false TestB\nconst (\n\tm, n = 1, -8\n\ton = true\n)",
			"BenchmarkA [TestA TestB] n=[0x10 -8]@1 on=[true false]@0"},
		{"//gpu:tune BenchmarkA n=1,2\nconst n int32 = 0b10", "BenchmarkA [] n=[1 2]@1"},
		{"//gpu:tune n=1,2\nconst n = 1", "2:1: //gpu:tune: there is no benchmark: write //gpu:tune BenchmarkSum block=64,128"},
		{"//gpu:tune BenchmarkA\nconst n = 1", "2:1: //gpu:tune: there is nothing to choose: write BenchmarkA block=64,128"},
		{"//gpu:tune BenchmarkA n=1,2\nconst n = 3", "2:23: //gpu:tune: n is 3, which is not among its choices"},
		{"//gpu:tune BenchmarkA m=1,2\nconst n = 3", "2:23: //gpu:tune: the declaration below has no constant m"},
		{"//gpu:tune BenchmarkA n=1,2\nconst n = 1 + 1", "2:23: //gpu:tune: n must be declared with a whole number, or true or false: n = 16"},
		{"//gpu:tune BenchmarkA n=1,2\nconst (\n\tm = 1\n\tn\n)", "2:23: //gpu:tune: n must be declared with a whole number, or true or false: n = 16"},
		{"//gpu:tune BenchmarkA n=1,1.5\nconst n = 1", "2:27: //gpu:tune: n=1.5: want whole numbers, or true and false"},
		{"//gpu:tune BenchmarkA n=1,,2\nconst n = 1", "2:27: //gpu:tune: n=: want whole numbers, or true and false"},
		{"//gpu:tune BenchmarkA n=1,0x1\nconst n = 1", "2:27: //gpu:tune: n=0x1 is listed twice"},
		{"//gpu:tune BenchmarkA n=1 n=2\nconst n = 1", "2:27: //gpu:tune: n is given twice: write its values in one list"},
		{"//gpu:tune BenchmarkA BenchmarkB n=1\nconst n = 1", "2:23: //gpu:tune: a second benchmark: one function measures the constants, with a b.Run for each shape"},
		{"//gpu:tune BenchmarkA.* n=1\nconst n = 1", `2:12: //gpu:tune: cannot read "BenchmarkA.*": write TestSum BenchmarkSum block=64,128`},
		{"//gpu:tune BenchmarkA n=1\nvar n = 1", "2:1: //gpu:tune must be in the comment directly above a const declaration"},
		{"//gpu:tune BenchmarkA n=1\nfunc n() {}", "2:1: //gpu:tune must be in the comment directly above a const declaration"},
		{"//gpu:tune BenchmarkA n=1\n//gpu:tune BenchmarkB n=1\nconst n = 1", "BenchmarkA [] n=[1]@0 3:1: a second //gpu:tune: list all constants in one"},
		{"//gpu:tune BenchmarkA n=1" + strings.Repeat(",1", 1_000_000) + "\nconst n = 1", "2:23: //gpu:tune: n has 1000001 values: want at most 4096"},
		{"//gpu:tune BenchmarkA n=1,1e999999999\nconst n = 1", "2:27: //gpu:tune: n=1e999999999: want whole numbers, or true and false"},
		{"//gpu:tune BenchmarkA n=1," + strings.Repeat("9", 1000) + "\nconst n = 1", "2:27: //gpu:tune: n=" + strings.Repeat("9", 40) + "…: want whole numbers, or true and false"},
	} {
		if got := tunedText(t, "package p\n"+tt.decl+"\n"); got != tt.want {
			t.Errorf("%.100s:\n%s, want\n%s", tt.decl, got, tt.want)
		}
	}
}

// tunedText has the results of Find, as text.
func tunedText(t *testing.T, source string) string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	groups, errs := Find(file)
	for _, g := range groups {
		var tests []string
		for _, n := range g.Tests {
			tests = append(tests, n.Text)
		}
		out = append(out, g.Benchmark.Text, fmt.Sprint(tests))
		for _, k := range g.Constants {
			out = append(out, fmt.Sprintf("%s=%v@%d", k.Name, k.Values, k.Declared))
		}
	}
	for _, e := range errs {
		out = append(out, fmt.Sprintf("%v: %s", fset.Position(e.Pos), e.Msg))
	}
	return strings.Join(out, " ")
}
