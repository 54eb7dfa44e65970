package doctest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestUpdate has each kind of block written anew, and finds nothing to change in what was written.
func TestUpdate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the documents' commands are for a POSIX shell")
	}
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.go", "package a\n\n// F is\n// it.\nfunc F() {\n\tg()\n}\n")
	write("other.md", "```text kernel=A\nof A\n```\n\n```text kernel=B\nof B\nand more\n```\n")
	write("doc.md", strings.Join([]string{
		"```go file=a.go decl=F", "old", "```",
		"```text of=other.md kernel=B", "```",
		"<!-- begin table -->", "<!-- end -->", "",
		"```console", "$ echo 1 2 3", "1 … 3", "$ echo x; echo y", "z", "```",
		"```console fails", "$ echo no; exit 3", "```", "",
	}, "\n"))
	c := Checker{Root: root, Update: true, Regions: map[string]func() (string, error){
		"table": func() (string, error) { return "| 1 | 2 |\n", nil },
	}}
	c.Check(t, "doc.md")
	got, err := os.ReadFile(filepath.Join(root, "doc.md"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "```go file=a.go decl=F\n// F is\n// it.\nfunc F() {\n\tg()\n}\n```\n" +
		"```text of=other.md kernel=B\nof B\nand more\n```\n" +
		"<!-- begin table -->\n| 1 | 2 |\n<!-- end -->\n\n" +
		"```console\n$ echo 1 2 3\n1 … 3\n$ echo x; echo y\nx\ny\n```\n" +
		"```console fails\n$ echo no; exit 3\nno\n```\n"
	if string(got) != want {
		t.Errorf("the document became\n%s\nwant\n%s", got, want)
	}
	c.Update = false
	c.Check(t, "doc.md")
}
