// Figures draws the pictures of the tutorial, and most of them from what really happened: it
// launches the tutorial's kernels on the simulator and draws the events that it reports.
//
//	go run ./docs/tutorial/figures               # all of them
//	go run ./docs/tutorial/figures stride tree   # those
//
// The pictures are written to docs/tutorial/figures. main_test.go holds those that are checked in
// to what is drawn.
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// picture is a *figure.Canvas or a figure.Picture.
type picture interface{ SVG() []byte }

// figures draw the pictures, by name.
var figures = map[string]func(*repository) (picture, error){
	"banks":      banks,
	"divergence": divergence,
	"ladder":     ladder,
	"race":       race,
	"registers":  registers,
	"stride":     stride,
	"sectors":    sectors,
	"stages":     stages,
	"streams":    streams,
	"tiles":      tiles,
	"tree":       tree,
}

const folder = "docs/tutorial/figures"

func main() {
	names := os.Args[1:]
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(figures))
	}
	for _, name := range names {
		if err := draw(name); err != nil {
			fmt.Fprintln(os.Stderr, "figures:", err)
			os.Exit(1)
		}
	}
}

// draw draws a picture to its file.
func draw(name string) error {
	f, ok := figures[name]
	if !ok {
		return fmt.Errorf("there is no picture %q: there are %s", name,
			strings.Join(slices.Sorted(maps.Keys(figures)), ", "))
	}
	c, err := f(&repository{root: "."})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(filepath.Join(folder, name+".svg"), c.SVG(), 0o644)
}
