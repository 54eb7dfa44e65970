package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/tools/figure/figuretest"
)

// TestMeasurementsDrawn draws the pictures of docs/measurements anew: what is checked in is that,
// byte for byte, and can be read.
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

// TestPlotOfOddRows draws rows that no bench writes: with counts and no size, and with names that
// XML cannot hold.
func TestPlotOfOddRows(t *testing.T) {
	t.Parallel()
	for _, rows := range []string{
		`[{"counts":{"instructions":1}}]`,
		`[{"counts":{}},{"what":"dot","variant":"x","n":3,"counts":{"instructions":7}}]`,
		`[{"what":"dot","variant":"a\u0007\u001b[31mb","about":"\u0000","n":1,"rate":2,"unit":"GB/s\u0001","device":"\u001b"}]`,
	} {
		file := filepath.Join(t.TempDir(), "rows.json")
		if err := os.WriteFile(file, []byte(rows), 0o644); err != nil {
			t.Fatal(err)
		}
		picture, err := pictureOf([]string{file})
		if err != nil {
			t.Errorf("%s: %v", rows, err)
			continue
		}
		for d := xml.NewDecoder(bytes.NewReader(picture.SVG())); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s: %v", rows, err)
				break
			}
		}
	}
}
