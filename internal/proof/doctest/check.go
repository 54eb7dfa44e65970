package doctest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Checker compares documents of a repository with what they describe. The words after a code
// block's fence say how:
//
//	sh                     the commands are run in the repository, and must succeed
//	sh norun               they are not: they change the checkout, or run this test
//	sh beside              they are run in a separate folder, one block after another.
//	                       ../gridstride is the repository
//	console                each line after "$ " is run as sh, and prints what follows; … stands for anything
//	console fails          the same, of commands that must not succeed
//	go file=NAME           the block is part of that file of the repository; also text file=NAME
//	go file=NAME decl=F    the block is the function F of that file, with its comment
//	text of=NAME WORD=X    the block is the one that carries the word WORD=X in that other document
//	go save=NAME           the block is saved under that name in that separate folder
//	text                   nothing is done
//
// A block of another kind is an error, so that none is forgotten. The lines between "<!-- begin
// NAME -->" and "<!-- end -->" must be the result of the region of that name.
type Checker struct {
	Root string // the repository
	// Regions make the parts of a document that are computed: tables of measurements, say.
	Regions map[string]func() (string, error)
	// Beside, when not nil, looks at the separate folder after all commands.
	Beside func(t *testing.T, folder string)
	// Update writes what commands, files and regions give into the documents, instead of failing.
	Update bool
}

// Check checks one document, named from the repository's root.
func (c *Checker) Check(t *testing.T, name string) {
	t.Helper()
	root, err := filepath.Abs(c.Root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	d := &document{Checker: c, t: t, name: name, root: root, beside: t.TempDir(), text: string(text)}
	blocks, err := Parse(name, d.text)
	if err != nil {
		t.Fatal(err)
	}
	var becomes []string
	for _, b := range blocks {
		becomes = append(becomes, d.check(b))
	}
	if c.Beside != nil {
		c.Beside(t, d.beside)
	}
	for i, b := range slices.Backward(blocks) { // from the end, so that the lines above do not move
		d.text = b.replace(d.text, becomes[i])
	}
	d.regions()
	if d.text != string(text) && c.Update {
		if err := os.WriteFile(filepath.Join(root, name), []byte(d.text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// document is one document that is being checked.
type document struct {
	*Checker
	t      *testing.T
	name   string
	root   string
	beside string // the separate folder
	text   string // as it becomes
}

// check checks a block, and returns the text that should be in it.
func (d *document) check(b Block) string {
	file, isPart := b.Arg("file")
	decl, isDecl := b.Arg("decl")
	other, isCopy := b.Arg("of")
	save, isSaved := b.Arg("save")
	switch {
	case isDecl:
		text, err := declaration(filepath.Join(d.root, filepath.FromSlash(file)), decl)
		return d.same(b, file, text, err)
	case isPart:
		d.part(b, file)
	case isCopy:
		text, err := d.block(other, b.Args)
		return d.same(b, other, text, err)
	case b.Lang == "text", b.Lang == "sh" && b.Has("norun"):
	case b.Lang == "sh" && b.Has("beside"):
		// A link named gridstride would do, but then Go compiles every package again for its path.
		d.run(b, d.beside, "set -e\n"+strings.ReplaceAll(b.Text, "../gridstride", d.root))
	case b.Lang == "sh":
		d.run(b, d.root, "set -e\n"+b.Text)
	case b.Lang == "console":
		return d.console(b)
	case b.Lang == "go" && isSaved:
		d.save(b, save)
	default:
		d.t.Errorf("%s: nothing checks this block: ```%s %s", b.Pos(), b.Lang, strings.Join(b.Args, " "))
	}
	return b.Text
}

// same compares a block with the text that should be in it, which is from somewhere else.
func (d *document) same(b Block, from, want string, err error) string {
	if err != nil {
		d.t.Errorf("%s: %v", b.Pos(), err)
		return b.Text
	}
	if b.Text != want && !d.Update {
		d.t.Errorf("%s: in %s stands\n%s\nthe document says\n%s", b.Pos(), from, want, b.Text)
	}
	return want
}

// part looks for the block in a file.
func (d *document) part(b Block, file string) {
	text, err := os.ReadFile(filepath.Join(d.root, filepath.FromSlash(file)))
	if err != nil {
		d.t.Errorf("%s: %v", b.Pos(), err)
	} else if !strings.Contains(string(text), b.Text) {
		d.t.Errorf("%s: this is not in %s:\n%s", b.Pos(), file, b.Text)
	}
}

// declaration is the text of a function of a Go file, with its comment.
func declaration(file, name string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name {
			start := f.Pos()
			if f.Doc != nil {
				start = f.Doc.Pos()
			}
			return string(text[files.Position(start).Offset:files.Position(f.End()).Offset]) + "\n", nil
		}
	}
	return "", fmt.Errorf("there is no function %s in %s", name, file)
}

// block is the text of another document's block that carries one of the words, apart from "of".
func (d *document) block(document string, words []string) (string, error) {
	blocks, err := ReadFile(filepath.Join(d.root, filepath.FromSlash(document)))
	if err != nil {
		return "", err
	}
	for _, b := range blocks {
		for _, word := range words {
			if slices.Contains(b.Args, word) {
				return b.Text, nil
			}
		}
	}
	return "", fmt.Errorf("no block of %s carries one of the words %q", document, words)
}

// save writes a block to a file of the separate folder.
func (d *document) save(b Block, name string) {
	name = filepath.Join(d.beside, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755),
		os.WriteFile(name, []byte(b.Text), 0o644)); err != nil {
		d.t.Fatal(err)
	}
}

// run runs a script in a folder and returns what it printed, and whether it ended as the block
// says.
func (d *document) run(b Block, dir, script string) (printed string, ok bool) {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	// New modules are written here, whose go.sum is still empty: what the module cache has is good.
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOSUMDB=off", "GOTOOLCHAIN=local", "GRIDSTRIDE_DEVICE=sim")
	out, err := cmd.CombinedOutput()
	if ok = (err != nil) == b.Has("fails"); !ok {
		d.t.Errorf("%s: %v\n%s\n%s", b.Pos(), err, script, out)
	}
	return string(out), ok
}

// anything is the sign for it, with the spaces before: a number that is set to the right has fewer
// of them when it is longer.
var anything = regexp.MustCompile(` *…`)

// console runs the commands of a block and compares what they print.
func (d *document) console(b Block) string {
	before, _, _ := strings.Cut("\n"+b.Text, "\n$ ")
	text := strings.TrimPrefix(before, "\n")
	for _, part := range regexp.MustCompile(`(?m)^\$ `).Split(b.Text, -1)[1:] {
		command, want, _ := strings.Cut(part, "\n")
		pattern := anything.ReplaceAllString(regexp.QuoteMeta(want), ".*")
		got, ok := d.run(b, d.root, command)
		if !ok || regexp.MustCompile(`^`+pattern+`$`).MatchString(got) {
			got = want
		} else if !d.Update {
			d.t.Errorf("%s: %s prints\n%s\nthe document says\n%s", b.Pos(), command, got, want)
		}
		text += "$ " + command + "\n" + got
	}
	return text
}

var region = regexp.MustCompile(`(?s)(<!-- begin (\S+) -->\n)(.*?)(<!-- end -->\n)`)

// regions compares the parts of the document that are computed.
func (d *document) regions() {
	d.text = region.ReplaceAllStringFunc(d.text, func(text string) string {
		m := region.FindStringSubmatch(text)
		compute, ok := d.Regions[m[2]]
		if !ok {
			d.t.Errorf("%s: nothing computes the region %q", d.name, m[2])
			return text
		}
		want, err := compute()
		if err != nil {
			d.t.Errorf("%s: region %s: %v", d.name, m[2], err)
			return text
		}
		if m[3] != want && !d.Update {
			d.t.Errorf("%s: region %s should be\n%s\nthe document says\n%s", d.name, m[2], want, m[3])
		}
		return m[1] + want + m[4]
	})
}

// replace puts another text into a block of a document.
func (b Block) replace(document, text string) string {
	if text == b.Text {
		return document
	}
	lines := strings.SplitAfter(document, "\n")
	end := b.Line + strings.Count(b.Text, "\n")
	return strings.Join(lines[:b.Line], "") + text + strings.Join(lines[end:], "")
}
