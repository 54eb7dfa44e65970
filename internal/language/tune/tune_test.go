package tune

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/build"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/load"
)

// group is a group of constants a, b, … with numbers of values.
func group(values ...int) *Group {
	g := &Group{}
	for i, n := range values {
		k := Constant{Name: string(rune('a' + i)), Declared: n / 2}
		for v := range n {
			k.Values = append(k.Values, fmt.Sprint(v))
		}
		g.Constants = append(g.Constants, k)
	}
	return g
}

// TestPick samples combinations: the declared one first, none twice, the same for a seed.
func TestPick(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		g       *Group
		n, want int
	}{
		{group(1), 5, 1}, {group(2, 3), 6, 6}, {group(2, 3), 100, 6}, {group(2, 3), 5, 5}, {group(2, 3), 1, 1},
		{group(1000, 1000), 33, 33}, {group(4096, 4096, 4096, 4096), 1000, 1000},
	} {
		got, err := tt.g.Pick(tt.n, 7)
		again, _ := tt.g.Pick(tt.n, 7)
		if err != nil || len(got) != tt.want || !reflect.DeepEqual(got, again) {
			t.Errorf("%d of them: %d, %v, the same again: %v", tt.n, len(got), err, reflect.DeepEqual(got, again))
		}
		if !slices.Equal(got[0], tt.g.Declared()) {
			t.Errorf("the first is %v, not what is declared", got[0])
		}
		seen := map[string]bool{}
		for _, c := range got {
			seen[tt.g.Text(c)] = true
		}
		if len(seen) != len(got) {
			t.Errorf("%d of %d are different", len(seen), len(got))
		}
		if other, _ := tt.g.Pick(tt.n, 8); tt.want > 30 && reflect.DeepEqual(other, got) {
			t.Error("another seed gives the same sample")
		}
	}
	if _, err := group(4096, 4096, 4096, 4096, 4096).Pick(3, 0); err == nil {
		t.Error("2^60 combinations are no error")
	}
}

// TestPickIsFair samples one of five others often.
func TestPickIsFair(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	const seeds = 3000
	for seed := range uint64(seeds) {
		got, _ := group(2, 3).Pick(3, seed)
		for _, c := range got[1:] {
			count[group(2, 3).Text(c)]++
		}
	}
	for text, n := range count {
		if want := seeds * 2 / 5; n < want*9/10 || n > want*11/10 {
			t.Errorf("%s %d times, want about %d", text, n, want)
		}
	}
	if len(count) != 5 {
		t.Errorf("%v", count)
	}
}

// TestSource changes values in a source, and nothing else.
func TestSource(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"package p\n\n//gpu:tune BenchmarkA b=1,-200 a=0x10,7\nconst (\n\ta = 16 // é\n\tb = 1  // one\n)\n",
			"package p\n\n//gpu:tune BenchmarkA b=1,-200 a=0x10,7\nconst (\n\ta = 7    // é\n\tb = -200 // one\n)\n"},
		{"package p\r\n//gpu:tune BenchmarkA a=true,false b=1,2\r\nconst a,b=true  ,  1 //x\r\n",
			"package p\r\n//gpu:tune BenchmarkA a=true,false b=1,2\r\nconst a,b=false  ,  2 //x\r\n"},
		{"package p\n\n//line other.go:1\n//gpu:tune BenchmarkA a=-1,1\nconst a int32 = -1\n",
			"package p\n\n//line other.go:1\n//gpu:tune BenchmarkA a=-1,1\nconst a int32 = 1\n"},
	} {
		var errs compile.ErrorList
		groups := groupsOf(sourcesOf("p"), compile.File{Name: "p.go", Text: []byte(tt.text)}, &errs)
		if len(groups) != 1 || errs != nil {
			t.Errorf("%q: %d groups, %v", tt.text, len(groups), errs)
			continue
		}
		choice := make(Choice, len(groups[0].Constants))
		for i := range choice {
			choice[i] = 1
		}
		if got := string(groups[0].source(choice)); got != tt.want {
			t.Errorf("%q, want\n%q", got, tt.want)
		}
		if got := string(groups[0].source(groups[0].Declared())); got != tt.text {
			t.Errorf("what is declared gives %q", got)
		}
	}
}

// TestParseBenchmarks takes medians, of the device's times if it has some.
func TestParseBenchmarks(t *testing.T) {
	t.Parallel()
	const output = `goos: linux
BenchmarkA/1x2-2   	 1	 697 ns/op	 9 device-ns/op
BenchmarkA/1x2-2   	 1	 6 ns/op	 3.5 device-ns/op	 0 B/op
BenchmarkA/1x2-2   	 1	 1 ns/op	 4 device-ns/op
BenchmarkA/b-2-2   	 1	 8 ns/op
BenchmarkA/b-2-2   	 1	 5 ns/op
BenchmarkA/b-2-2   	 x	 NaN ns/op
BenchmarkB
BenchmarkB --- FAIL
PASS
`
	want := []Shape{{"BenchmarkA/1x2", 4}, {"BenchmarkA/b-2", 8}}
	if got := ParseBenchmarks(output, 2); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	one := []Shape{{"a", 10}, {"b", 1000}}
	if got, ok := Score([]Shape{{"a", 20}, {"b", 500}}, one); !ok || math.Abs(got-1) > 1e-12 {
		t.Errorf("twice and half: %v, %v", got, ok)
	}
	if got, ok := Score([]Shape{{"a", 0}, {"b", 0}}, one); !ok || !(got >= 0) {
		t.Errorf("nothing: %v, %v", got, ok)
	}
	for _, other := range [][]Shape{nil, {{"a", 1}}, {{"a", 1}, {"c", 1}}} {
		if _, ok := Score(other, one); ok {
			t.Errorf("%v compares with %v", other, one)
		}
	}
}

// TestWriteRefuses leaves a source that was edited since as it is.
func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const text = "package p\n\n//gpu:tune BenchmarkA a=1,2\nconst a = 1\n\n//gpu:kernel\nfunc K(x []int32) { x[0] = a }\n"
	put("go.mod", "module example.com/p\n\ngo 1.26\n")
	put("p.go", text)
	groups, err := Find(t.Context(), dir, ".")
	if err != nil || len(groups) != 1 {
		t.Fatal(groups, err)
	}
	put("p.go", text+"// edited\n")
	if _, err := groups[0].Write(Choice{1}); err == nil || !strings.Contains(err.Error(), "p.go was edited while it was measured") {
		t.Errorf("%v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("it left %v", entries)
	}
	put("p.go", text)
	written, err := groups[0].Write(Choice{1})
	if want := []string{"p.go", "kernels_gen.ptx", "kernels_gen.go"}; err != nil || !slices.Equal(written, want) {
		t.Errorf("wrote %v, %v; want %v", written, err, want)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "p.go")); string(got) != strings.Replace(text, "a = 1", "a = 2", 1) {
		t.Errorf("%s", got)
	}
}

func sourcesOf(path string) *build.Sources {
	return &build.Sources{Package: &load.Package{Source: &compile.Source{Path: path}}}
}

// TestWritable finds that a folder takes no files, and leaves nothing in one that does.
func TestWritable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := (&Group{Dir: dir}).Writable(); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("it left %v", entries)
	}
	missing := filepath.Join(dir, "none")
	if err := (&Group{Dir: missing}).Writable(); err == nil || !strings.Contains(err.Error(), missing+" cannot be written to: ") {
		t.Errorf("%v", err)
	}
	if err := os.Chmod(dir, 0o555); err != nil || os.Geteuid() == 0 {
		t.Skip("every folder can be written to")
	}
	if err := (&Group{Dir: dir}).Writable(); err == nil {
		t.Error("a folder that cannot be written to is no error")
	}
}
