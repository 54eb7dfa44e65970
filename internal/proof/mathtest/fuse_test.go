package mathtest

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const mathPath = "github.com/gridstride/gridstride/internal/math/"

// TestNothingFuses finds products of the mathematics that a Go compiler may fuse with an addition,
// as it does on arm64, also through variables and inlined calls. Only an explicit conversion keeps
// a product. A product that is multiplied or divided further, compared, or handed to package
// ieee, needs none.
func TestNothingFuses(t *testing.T) {
	t.Parallel()
	list, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, mathPath+"ieee", mathPath+"mathcommon",
		mathPath+"math32", mathPath+"math64", mathPath+"mathcmplx")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		for _, file := range p.Syntax {
			for _, pos := range fusible(p.TypesInfo, file) {
				at := p.Fset.Position(pos)
				if exactProducts[filepath.Base(at.Filename)] {
					continue
				}
				t.Errorf("%s:%d: convert the product explicitly, or use ieee.FMA", filepath.Base(at.Filename), at.Line)
			}
		}
	}
}

// exactProducts are files of package ieee whose products are exact, so that fusing them changes
// nothing.
var exactProducts = map[string]bool{"ieee.go": true, "odd.go": true}

// fusible lists the products that nothing keeps from being fused.
func fusible(info *types.Info, file *ast.File) []token.Pos {
	var list []token.Pos
	var stack []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.MUL_ASSIGN && isFloat(info, n.Lhs[0]) {
				list = append(list, n.TokPos)
			}
		case *ast.BinaryExpr:
			if n.Op == token.MUL && isFloat(info, n) && !kept(info, stack) {
				list = append(list, n.OpPos)
			}
		}
		return true
	})
	return list
}

// isFloat reports whether an expression is computed and of a floating-point type.
func isFloat(info *types.Info, x ast.Expr) bool {
	tv := info.Types[x]
	if tv.Value != nil {
		return false
	}
	b, ok := tv.Type.Underlying().(*types.Basic)
	return !ok || b.Info()&types.IsFloat != 0
}

// kept reports whether the last node, a product, cannot become part of a sum.
func kept(info *types.Info, stack []ast.Node) bool {
	for i := len(stack) - 2; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.ParenExpr, *ast.UnaryExpr:
			continue
		case *ast.BinaryExpr:
			return n.Op != token.ADD && n.Op != token.SUB && !doubles(info, n)
		case *ast.CallExpr:
			if info.Types[n.Fun].IsType() {
				return true
			}
			fun := n.Fun
			if index, ok := fun.(*ast.IndexExpr); ok {
				fun = index.X
			}
			if s, ok := fun.(*ast.SelectorExpr); ok {
				fun = s.Sel
			}
			name, ok := fun.(*ast.Ident)
			return ok && info.Uses[name].Pkg() != nil && info.Uses[name].Pkg().Path() == mathPath+"ieee"
		default:
			return false
		}
	}
	return false
}

// doubles reports whether a product is one with 2, or a quotient by 1/2.
func doubles(info *types.Info, n *ast.BinaryExpr) bool {
	for _, x := range []ast.Expr{n.X, n.Y} {
		if c := info.Types[x].Value; c != nil {
			f, _ := constant.Float64Val(constant.ToFloat(c))
			return n.Op == token.MUL && math.Abs(f) == 2 || n.Op == token.QUO && math.Abs(f) == 0.5
		}
	}
	return false
}

// TestFusible tries the rule out: every line that is marked has a product that may be fused.
func TestFusible(t *testing.T) {
	t.Parallel()
	const text = `package p

func f(x, y, z float64) float64 {
	a := x*y + z // fuses
	b := x * y   // fuses
	c := float64(x*y) + z
	d := float64(x*y*z) + float64(2*float64(x*y))
	e := float64(x * y * 2) // fuses
	e *= x // fuses
	if x*y < z {
		return float64(x*y/0.5) // fuses
	}
	return a + b + c + d + e
}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	if _, err := new(types.Config).Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	found := map[int]bool{}
	for _, pos := range fusible(info, file) {
		found[fset.Position(pos).Line] = true
	}
	for i, line := range strings.Split(text, "\n") {
		if want := strings.HasSuffix(line, "// fuses"); want != found[i+1] {
			t.Errorf("%q: found is %v, want %v", line, found[i+1], want)
		}
	}
}

// fused is a line of a compiler's output for an instruction that fuses, with the place in the
// source.
var fused = regexp.MustCompile(`\(([^()]+):(\d+)\)\s+FN?M(?:ADD|SUB)[SD]\b`)

// TestFusesOnARM64 reads what the Go compiler makes for arm64: it fuses where the source says FMA,
// and nowhere else. Generic functions are compiled with the packages that use them.
func TestFusesOnARM64(t *testing.T) {
	t.Parallel()
	ours := regexp.MustCompile(`internal/math/(ieee|mathcommon|math32|math64)/([a-z]+\.go)`)
	for _, path := range []string{mathPath + "math32", mathPath + "math64", "github.com/gridstride/gridstride/internal/proof/mathtest"} {
		c := exec.Command("go", "build", "-gcflags=-S", path)
		c.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		places := map[string]bool{}
		for _, m := range fused.FindAllStringSubmatch(string(out), -1) {
			places[m[1]+":"+m[2]] = true
		}
		if len(places) == 0 && path == mathPath+"math64" {
			t.Error("math64 has no FMA: is the output read as it is now?")
		}
		for place := range places {
			if file := ours.FindStringSubmatch(place); file == nil || exactProducts[file[2]] {
				continue
			}
			if line := sourceLine(t, place); !strings.Contains(line, "FMA") {
				t.Errorf("%s is fused: %s", place, line)
			}
		}
	}
}

func sourceLine(t *testing.T, place string) string {
	t.Helper()
	i := strings.LastIndex(place, ":")
	number, err := strconv.Atoi(place[i+1:])
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(place[:i])
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.Split(string(text), "\n")[number-1])
}
