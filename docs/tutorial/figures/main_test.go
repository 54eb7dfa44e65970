package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/tools/figure/figuretest"
)

// TestFresh draws every picture anew: what is checked in must be that, byte for byte, and no text
// in it touches another or a line.
func TestFresh(t *testing.T) {
	t.Parallel()
	for name, f := range figures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := f(&repository{root: "../../.."})
			if err != nil {
				t.Fatal(err)
			}
			if old, err := os.ReadFile(name + ".svg"); err != nil || !bytes.Equal(old, c.SVG()) {
				t.Errorf("%s.svg is not what is drawn now (%v): go run ./docs/tutorial/figures %s, and look at it",
					name, err, name)
			}
			for _, problem := range figuretest.Problems(c.SVG()) {
				t.Error(problem)
			}
		})
	}
	files, err := filepath.Glob("*.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if figures[strings.TrimSuffix(name, ".svg")] == nil {
			t.Errorf("nothing draws %s", name)
		}
	}
}
