package archtest

import (
	"go/ast"
	"path/filepath"
	"strings"
	"testing"

	gopackages "golang.org/x/tools/go/packages"
)

// TestFloors holds the files of internal/machine/sim to the floors that its package comment lists:
// a file uses its own floor and those below.
func TestFloors(t *testing.T) {
	t.Parallel()
	p := simulator(t)
	floors := floorsOf(t, p)
	for _, f := range p.Syntax {
		from := fileOf(p, f)
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := p.TypesInfo.Uses[id]
			if used == nil || used.Pkg() != p.Types {
				return true
			}
			to := filepath.Base(p.Fset.Position(used.Pos()).Filename)
			if floors[to] <= floors[from] {
				return true
			}
			t.Errorf("%s uses %s of %s, which is on a higher floor", p.Fset.Position(id.Pos()), id.Name, to)
			return true
		})
	}
}

// simulator is package internal/machine/sim with its types.
func simulator(t *testing.T) *gopackages.Package {
	t.Helper()
	const mode = gopackages.NeedName | gopackages.NeedSyntax | gopackages.NeedTypes | gopackages.NeedTypesInfo |
		gopackages.NeedImports | gopackages.NeedExportFile
	list, err := gopackages.Load(&gopackages.Config{Mode: mode}, module+"/internal/machine/sim")
	if err != nil {
		t.Fatal(err)
	}
	if p := list[0]; len(list) == 1 && len(p.Errors) == 0 && p.Types.Scope().Lookup("Machine") != nil {
		return p
	}
	t.Fatalf("internal/machine/sim does not load: %v", list[0].Errors)
	return nil
}

// floorsOf reads the number of each file's floor from the table in the package comment, where a
// line of one word begins a floor and an indented line lists files before two spaces.
func floorsOf(t *testing.T, p *gopackages.Package) map[string]int {
	t.Helper()
	floors := map[string]int{"doc.go": 0}
	var text string
	for _, f := range p.Syntax {
		if fileOf(p, f) == "doc.go" {
			text = f.Doc.Text()
		}
	}
	_, text, _ = strings.Cut(text, "three floors")
	floor := 0
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, "\n"); {
		case strings.HasPrefix(line, "\t  "):
			names, _, _ := strings.Cut(line[len("\t  "):], "  ")
			for _, name := range strings.Fields(names) {
				floors[name+".go"] = floor
			}
		case strings.HasPrefix(line, "\t"):
			floor++
		case floor > 0 && line != "":
			text = "" // the table has ended
		}
		if text == "" {
			break
		}
	}
	for _, f := range p.Syntax {
		if floors[fileOf(p, f)] == 0 && fileOf(p, f) != "doc.go" {
			t.Errorf("%s is on no floor in the package comment of internal/machine/sim", fileOf(p, f))
		}
	}
	return floors
}

func fileOf(p *gopackages.Package, f *ast.File) string {
	return filepath.Base(p.Fset.Position(f.Pos()).Filename)
}
