package archtest

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/architecture.md's map anew")

const (
	pageFile = "../../../docs/architecture.md"
	mapStart = "<!-- The map is generated: go test ./internal/proof/archtest -update -->\n"
)

// TestPage holds the map in docs/architecture.md to the rooms and to what their packages say of
// themselves.
func TestPage(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(data), mapStart)
	if !found {
		t.Fatalf("%s has no line %q", pageFile, mapStart)
	}
	want := head + mapStart + roomsMap(t)
	if *update {
		if err := os.WriteFile(pageFile, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(data) {
		t.Errorf("the map in docs/architecture.md is not that of rooms_test.go and of the packages' comments: run go test ./internal/proof/archtest -update")
	}
}

// roomsMap is one table for each wing, with all packages of each of its rooms.
func roomsMap(t *testing.T) string {
	rows := map[string][]string{}
	all := packages(t)
	slices.SortFunc(all, func(a, b pkg) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	for _, p := range all {
		name := local(p.ImportPath)
		room, _ := ruleFor(name)
		synopsis := packageSynopsis(t, name)
		if synopsis == "" {
			t.Errorf("package %s has no comment that says what it is for", p.ImportPath)
		}
		rows[room] = append(rows[room], fmt.Sprintf("| %s | %s |\n", link(name), strings.ReplaceAll(synopsis, "|", `\|`)))
	}
	var b strings.Builder
	for _, w := range wings {
		fmt.Fprintf(&b, "\n### %s: %s\n\n| package | its purpose |\n|---|---|\n", w.name, w.about)
		for _, r := range w.rooms {
			b.WriteString(strings.Join(rows[r.dir], ""))
			delete(rows, r.dir)
		}
	}
	for room := range rows {
		t.Errorf("package %s is in no room of rooms_test.go", room)
	}
	return b.String()
}

// link is a package's name, with a link from docs to its folder.
func link(name string) string {
	if name == "" {
		return "[`gridstride`](..)"
	}
	return fmt.Sprintf("[`%s`](../%s)", name, name)
}

// packageSynopsis is the first sentence of a package's comment, without "Package x is". A package
// of tests alone has its comment there.
func packageSynopsis(t *testing.T, name string) string {
	files, err := filepath.Glob(filepath.Join("../../..", name, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if text := synopsis(f); text != "" {
			return text
		}
	}
	return ""
}

func synopsis(f *ast.File) string {
	text := new(doc.Package).Synopsis(f.Doc.Text())
	if text == "" {
		return ""
	}
	for _, start := range []string{"Package ", "Command "} {
		if rest, ok := strings.CutPrefix(text, start); ok {
			_, text, _ = strings.Cut(rest, " ")
		}
	}
	text = strings.TrimPrefix(text, "is ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// TestRooms holds the table of rooms to folders that exist.
func TestRooms(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, w := range wings {
		for _, r := range w.rooms {
			if seen[r.dir] {
				t.Errorf("room %q is twice in the table", r.dir)
			}
			seen[r.dir] = true
			if info, err := os.Stat(path.Join("../../..", r.dir)); err != nil || !info.IsDir() {
				t.Errorf("room %q is no folder", r.dir)
			}
		}
	}
}
