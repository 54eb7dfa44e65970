package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/figure/figuretest"
)

// TestMeasurementsDrawn draws the pictures of docs/measurements anew: what is checked in is that, byte
// for byte, and can be read.
func TestMeasurementsDrawn(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("../../docs/measurements"); err != nil {
		t.Skip(err) // a bundle for a GPU machine has no documents
	}
	files, err := filepath.Glob("../../docs/measurements/*.svg")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		picture, err := pictureOf([]string{strings.TrimSuffix(name, ".svg") + ".json"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		svg := picture.SVG()
		if old, err := os.ReadFile(name); err != nil || !bytes.Equal(old, svg) {
			t.Errorf("%s is not what is drawn now (%v): gridstride bench plot -o it from its JSON, and look at it",
				name, err)
		}
		for _, problem := range figuretest.Problems(svg) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}
