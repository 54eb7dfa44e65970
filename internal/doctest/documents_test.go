package doctest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

const root = "../.."

// TestDocuments holds the repository's documents to what they say. The words after a code block's fence say how:
//
//	sh             the commands are run in the repository, and must succeed
//	sh norun       they are not: they change the checkout, or run this test
//	sh beside      they are run in a folder in which "gridstride" is the repository, one block after another
//	console        each line after "$ " is run as sh, and prints what follows; … stands for anything
//	go file=NAME   the block is part of that file of the repository; also text file=NAME
//	go save=NAME   the block is saved under that name in the folder of "sh beside"
//	text           nothing is done
//
// A block of another kind is an error, so that none is forgotten.
func TestDocuments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the documents' commands are for a POSIX shell")
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "RATIONALE.md"} {
		t.Run(name, func(t *testing.T) {
			blocks, err := ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			repo, err := filepath.Abs(root)
			if err != nil {
				t.Fatal(err)
			}
			d := document{t: t, repo: repo, beside: t.TempDir()}
			if err := os.Symlink(repo, filepath.Join(d.beside, "gridstride")); err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks {
				d.check(b)
			}
		})
	}
}

type document struct {
	t      *testing.T
	repo   string
	beside string // the folder of "sh beside"
}

func (d *document) check(b Block) {
	file, isPart := b.Arg("file")
	save, isSaved := b.Arg("save")
	switch {
	case isPart:
		text, err := os.ReadFile(filepath.Join(d.repo, filepath.FromSlash(file)))
		if err != nil {
			d.t.Errorf("%s: %v", b.Pos(), err)
		} else if !strings.Contains(string(text), b.Text) {
			d.t.Errorf("%s: this is not in %s:\n%s", b.Pos(), file, b.Text)
		}
	case b.Lang == "text", b.Lang == "sh" && b.Has("norun"):
	case b.Lang == "sh" && b.Has("beside"):
		d.run(b, d.beside, "set -e\n"+b.Text)
	case b.Lang == "sh":
		d.run(b, d.repo, "set -e\n"+b.Text)
	case b.Lang == "console":
		d.console(b)
	case b.Lang == "go" && isSaved:
		name := filepath.Join(d.beside, filepath.FromSlash(save))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(b.Text), 0o644); err != nil {
			d.t.Fatal(err)
		}
	default:
		d.t.Errorf("%s: nothing checks this block: ```%s %s", b.Pos(), b.Lang, strings.Join(b.Args, " "))
	}
}

// run runs a script in a folder and returns what it printed.
func (d *document) run(b Block, dir, script string) string {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	// New modules are written here, whose go.sum is still empty: what the module cache has is good.
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOSUMDB=off", "GOTOOLCHAIN=local", "GRIDSTRIDE_DEVICE=sim")
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Errorf("%s: %v\n%s\n%s", b.Pos(), err, script, out)
	}
	return string(out)
}

// console runs the commands of a block and compares what they print.
func (d *document) console(b Block) {
	for _, part := range regexp.MustCompile(`(?m)^\$ `).Split(b.Text, -1)[1:] {
		command, want, _ := strings.Cut(part, "\n")
		pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*")
		got := d.run(b, d.repo, command)
		if !regexp.MustCompile(`^` + pattern + `$`).MatchString(got) {
			d.t.Errorf("%s: %s prints\n%s\nthe document says\n%s", b.Pos(), command, got, want)
		}
	}
}
