package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/proof/mathtest"
)

const mathPage = "math.md"

// mathErrors are campaigns of package mathtest by MPFR, mathTwofold those by package twofold, and
// mathGPU files of internal/proof/gpusuite/perf's -math. What a later one has measured anew counts.
var (
	mathErrors  = []string{"measurements/2026-11-23-math.json", "measurements/2026-11-24-math.json"}
	mathTwofold = []string{"measurements/2026-11-23-math-twofold.json", "measurements/2026-11-24-math-twofold.json"}
	mathGPU     = []string{"measurements/2026-11-24-h200-math.json"}
)

// changed are the functions, by type, whose results have changed since a GPU measured their errors,
// which are not theirs any more. untimed are those whose code has changed since one timed them:
// their throughput is marked. The next runs empty the lists.
var (
	changed = map[string][]string{}
	untimed = map[string][]string{}
)

// mathData is the data that both files may have.
type mathData struct {
	Date      string            `json:"date"`
	Device    string            `json:"device"`
	Processor string            `json:"processor"`
	MPFR      string            `json:"mpfr"`
	Functions []mathtest.Errors `json:"functions"` // of a campaign
	Errors    []mathtest.Errors `json:"errors"`    // of a GPU, for float32
	Doubles   []mathtest.Errors `json:"doubles"`   // for float64
	Bits      []struct {
		Points int64 `json:"points"`
		Same   bool  `json:"same"`
	} `json:"bits"`
	Speed []mathSpeed `json:"speed"`
}

// mathSpeed is the throughput of a function on a GPU.
type mathSpeed struct {
	Function string  `json:"function"`
	Type     string  `json:"type"`
	Ours     float64 `json:"gcalls"`
	Ratio    float64 `json:"ratio"`
}

// readMath reads files of measurements, a later one's instead of an earlier one's of the same
// function and type. It is nil if there is none.
func readMath(t *testing.T, files []string) (all *mathData) {
	t.Helper()
	for _, name := range files {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		d := &mathData{}
		if err == nil {
			err = json.Unmarshal(text, d)
		}
		if err != nil {
			t.Fatal(err)
		}
		if all == nil {
			all = d
			continue
		}
		of := func(e mathtest.Errors) string { return e.Function + " " + e.Type }
		all.Functions = renew(all.Functions, d.Functions, of)
		all.Errors = renew(all.Errors, d.Errors, of)
		all.Doubles = renew(all.Doubles, d.Doubles, of)
		all.Speed = renew(all.Speed, d.Speed, func(s mathSpeed) string { return s.Function + " " + s.Type })
	}
	return all
}

// renew is list, with later's elements instead of its own of the same name.
func renew[T any](list, later []T, name func(T) string) []T {
	for _, v := range later {
		i := slices.IndexFunc(list, func(old T) bool { return name(old) == name(v) })
		if i < 0 {
			list = append(list, v)
		} else {
			list[i] = v
		}
	}
	return list
}

// TestMath holds the tables of math.md to what was measured and to what the sources say. With
// -update it writes them.
func TestMath(t *testing.T) {
	t.Parallel()
	for _, lists := range []map[string][]string{changed, untimed} {
		for _, list := range lists {
			for _, name := range list {
				if !slices.Contains(names(), name) {
					t.Errorf("%s is said to have changed, and there is no such function", name)
				}
			}
		}
	}
	campaign, twofold, onGPU := readMath(t, mathErrors), readMath(t, mathTwofold), readMath(t, mathGPU)
	if campaign == nil {
		t.Fatalf("there is none of %v", mathErrors)
	}
	text, err := os.ReadFile(mathPage)
	if err != nil {
		t.Fatal(err)
	}
	want := replaceTable(t, string(text), "| function | float32 | at |", errorTable(t, campaign, twofold, onGPU))
	if onGPU != nil {
		want = replaceTable(t, want, "| function | float32, 10⁹/s |", speedTable(onGPU))
	}
	want = replaceTable(t, want, "| function | how |", methodTable(t))
	if want == string(text) {
		return
	}
	if !*update {
		t.Errorf("%s is not what was measured, or what the sources say (run with -update)", mathPage)
		return
	}
	if err := os.WriteFile(mathPage, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// replaceTable replaces the rows of the table whose head begins with head.
func replaceTable(t *testing.T, text, head string, rows []string) string {
	t.Helper()
	_, after, ok := strings.Cut(text, "\n"+head)
	if !ok {
		t.Fatalf("%s has no table %q", mathPage, head)
	}
	before := text[:len(text)-len(after)]
	first, rest, _ := strings.Cut(after, "\n")
	second, rest, _ := strings.Cut(rest, "\n") // the line of dashes
	for strings.HasPrefix(rest, "|") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return before + first + "\n" + second + "\n" + strings.Join(rows, "") + rest
}

// errorTable is a row for each function that is not exact. The row of a function with several
// results has their largest error.
func errorTable(t *testing.T, data ...*mathData) (rows []string) {
	t.Helper()
	for _, name := range names() {
		bound := mathtest.Bound{}
		worst := map[string]mathtest.Errors{}
		for _, f := range mathtest.Functions {
			if base(f.Name) != name {
				continue
			}
			if f.CUDA != (mathtest.Bound{}) {
				bound = f.CUDA
			}
			for _, typ := range []string{"float32", "float64"} {
				e := measured(t, f.Name, typ, data...)
				if e.Wrong > 0 || e.Max > map[string]float64{"float32": f.Limit.Single, "float64": f.Limit.Double}[typ] {
					t.Errorf("%s of %s was measured beyond its limit: %+v", f.Name, typ, e)
				}
				if e.Max >= worst[typ].Max {
					worst[typ] = e
				}
			}
		}
		if worst["float32"].Max <= 0.5 && worst["float64"].Max <= 0.5 {
			continue
		}
		single, double := worst["float32"], worst["float64"]
		rows = append(rows, fmt.Sprintf("| %s | %.3f | %s | %s | %.3f | %s | %s |\n", name,
			single.Max, at(single.At), documented(bound.Single), double.Max, at(double.At), documented(bound.Double)))
	}
	return rows
}

// measured is the largest error that was found of a function.
func measured(t *testing.T, name, typ string, data ...*mathData) (e mathtest.Errors) {
	t.Helper()
	found := false
	for _, d := range data {
		if d == nil {
			continue
		}
		list := d.Functions
		if !slices.Contains(changed[typ], base(name)) {
			list = slices.Concat(list, d.Errors, d.Doubles)
		}
		for _, other := range list {
			if other.Function == name && other.Type == typ {
				found = true
				if other.Max >= e.Max {
					e = other
				}
			}
		}
	}
	if !found {
		t.Errorf("%s of %s was not measured", name, typ)
	}
	return e
}

// names are the names of the functions, without their results' names.
func names() (list []string) {
	for _, f := range mathtest.Functions {
		if !slices.Contains(list, base(f.Name)) {
			list = append(list, base(f.Name))
		}
	}
	return list
}

func base(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return name
}

func at(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return "`" + strings.Join(args, ", ") + "`"
}

func documented(ulp float64) string {
	if ulp == 0 {
		return ""
	}
	return strconv.FormatFloat(ulp, 'g', -1, 64)
}

// speedTable is a row for each function that was timed.
func speedTable(d *mathData) (rows []string) {
	for _, f := range d.Speed {
		if f.Type != "float32" {
			continue
		}
		row := fmt.Sprintf("| %s | %.1f | %.2f%s |", f.Function, f.Ours, f.Ratio, mark(f.Function, f.Type))
		for _, g := range d.Speed {
			if g.Function == f.Function && g.Type == "float64" {
				row += fmt.Sprintf(" %.1f | %.2f%s |", g.Ours, g.Ratio, mark(g.Function, g.Type))
			}
		}
		rows = append(rows, row+"\n")
	}
	return rows
}

// mark is the mark after the throughput of code that has changed since.
func mark(name, typ string) string {
	if slices.Contains(untimed[typ], name) {
		return " †"
	}
	return ""
}

// methodTable is a row for each function that is not exact: what its comment in math64 says beyond
// the first sentence.
func methodTable(t *testing.T) (rows []string) {
	t.Helper()
	comments := map[string]string{}
	files, err := filepath.Glob("../internal/math/math64/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
				comments[f.Name.Name] = strings.Join(strings.Fields(f.Doc.Text()), " ")
			}
		}
	}
	escape := strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`)
	for _, name := range names() {
		if in := abi.FindIntrinsic(name); in != nil && in.Group == abi.Mathematics {
			text := comments[name]
			if text == "" {
				t.Errorf("%s has no comment in math64", name)
			}
			if _, rest, more := strings.Cut(text, ". "); more {
				text = rest
			}
			rows = append(rows, fmt.Sprintf("| %s | %s |\n", name, escape.Replace(text)))
		}
	}
	return rows
}
