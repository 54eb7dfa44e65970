// Package tutorial holds the chapters, and the test that holds them to what they show.
package tutorial

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/proof/doctest"
)

var update = flag.Bool("update", false, "write what files, commands and measurements give into the chapters")

// chapters are the documents, the index among them.
func chapters(t *testing.T) []string {
	names, err := filepath.Glob("*.md")
	if err != nil || len(names) < 2 {
		t.Fatalf("found the chapters %q, %v", names, err)
	}
	return names
}

// TestChapters compares the code in the chapters with its files, and the outputs with the commands'
// outputs.
func TestChapters(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the chapters' commands are for a POSIX shell")
	}
	c := doctest.Checker{Root: "../..", Regions: regions, Update: *update}
	for _, name := range chapters(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.Check(t, "docs/tutorial/"+name)
		})
	}
}

var (
	link  = regexp.MustCompile(`\]\(([^)#]+)[^)]*\)|(?m)^\[[^\]]+\]: (\S+)`)
	code  = regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`")
	image = regexp.MustCompile(`!\[[^\]]*\]\(figures/(\w+)\.svg\)`)
)

// TestLinks looks for what the chapters point at, and for a chapter that shows each picture, with
// the command that draws it.
func TestLinks(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, name := range chapters(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			if to := m[1] + m[2]; !strings.Contains(to, "://") {
				if _, err := os.Stat(to); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		unwrapped := strings.Join(strings.Fields(string(text)), " ")
		for _, m := range image.FindAllStringSubmatch(string(text), -1) {
			shown[m[1]+".svg"] = true
			if !strings.Contains(unwrapped, "go run ./docs/tutorial/figures "+m[1]+"`") {
				t.Errorf("%s does not say how %s.svg is drawn", name, m[1])
			}
		}
	}
	pictures, err := filepath.Glob("figures/*.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pictures {
		if !shown[filepath.Base(name)] {
			t.Errorf("no chapter shows %s", name)
		}
	}
}
