package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/tour/lab"
)

// TestGenerated holds the pages that are committed to the chapters.
func TestGenerated(t *testing.T) {
	t.Parallel()
	want, err := pages("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	have, err := filepath.Glob("../pages/*")
	if err != nil || len(have) != len(want) {
		t.Errorf("there are %d pages, want %d: run go generate ./internal/tour/site", len(have), len(want))
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join("../pages", name)); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is not what the chapters say: run go generate ./internal/tour/site (%v)", name, err)
		}
	}
}

// TestPrograms compiles and runs each program of the chapters, and finds a place in a chapter for each
// launch.
func TestPrograms(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../../../../docs/tutorial/0*.md")
	if err != nil || len(names) != 9 {
		t.Fatal(names, err)
	}
	l := lab.New(os.DirFS("../../../.."))
	shown := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := render("../../../..", text)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.programs {
			shown++
			compiled := l.Compile(p.Text)
			if len(compiled.Errors) > 0 {
				t.Errorf("%s: %s: %+v", name, p.Name, compiled.Errors)
				continue
			}
			r := compiled.Run(t.Context(), p.Launch, nil)
			if broken := p.Name == "SquareUnguarded"; (r.Error != "") != broken {
				t.Errorf("%s: %s: %q", name, p.Name, r.Error)
			}
		}
	}
	if shown < len(launches) {
		t.Errorf("the chapters show %d kernels, and there are launches of %d", shown, len(launches))
	}
}

var local = regexp.MustCompile(`(?:href|src)="([^"#:]+)(?:#[^"]*)?"`)

// TestLinks finds the page, picture or script that each link of a page names.
func TestLinks(t *testing.T) {
	t.Parallel()
	all, err := pages("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range all {
		for _, m := range local.FindAllStringSubmatch(string(text), -1) {
			to := m[1]
			static, figure := filepath.Join("../static", to), filepath.Join("../../../../docs/tutorial", to)
			if _, page := all[to]; page || exists(static) || strings.HasPrefix(to, "figures/") && exists(figure) {
				continue
			}
			t.Errorf("%s: there is no %s", name, to)
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
