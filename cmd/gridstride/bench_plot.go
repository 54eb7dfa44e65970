package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/gridstride/gridstride/internal/proof/bench"
	"github.com/gridstride/gridstride/internal/tools/atomicfile"
	"github.com/gridstride/gridstride/internal/tools/figure"
	"github.com/spf13/cobra"
)

const benchPlotHelp = `Plot draws rows that bench has written with -json. The rows of several files
are drawn together, to compare runs, or another program that writes the same objects.

Times are drawn as bars of speed, a chart for each size. Lines across them show cuBLAS, CUB and the
device's peak. Three sizes or more are drawn as lines of time over the size, and so is -end-to-end.
Each count of the simulator has a chart.`

// newBenchPlot makes "gridstride bench plot".
func newBenchPlot() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "plot -o out.svg rows.json...",
		Short:   "Draw rows that bench wrote as JSON",
		Long:    benchPlotHelp,
		Example: "  gridstride bench dot -json >dot.json\n  gridstride bench plot -o dot.svg dot.json cub.json",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usagef("bench plot takes the JSON files whose rows to draw")
			case out == "":
				return usagef("bench plot needs -o, the picture to write: file.svg")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			picture, err := pictureOf(args)
			if err != nil {
				return err
			}
			return writePicture(out, picture)
		},
	}
	cmd.Flags().StringVarP(&out, "o", "o", "", "picture to write, `file.svg`")
	return cmd
}

// pictureOf draws the rows of JSON files, all of one kind.
func pictureOf(paths []string) (figure.Picture, error) {
	var variants []bench.Row
	var calls []bench.EndRow
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return figure.Picture{}, err
		}
		rows, ends, err := bench.Read(text)
		if err != nil {
			return figure.Picture{}, fmt.Errorf("%s: no list of rows, as bench -json writes it: %w", path, err)
		}
		variants, calls = append(variants, rows...), append(calls, ends...)
	}
	switch {
	case len(calls) == 0:
		return bench.Picture(variants)
	case len(variants) == 0:
		return bench.EndPicture(calls)
	}
	return figure.Picture{}, errors.New("rows of variants and rows of -end-to-end do not go into one picture")
}

// writePicture writes a picture to a file.
func writePicture(path string, picture figure.Picture) error {
	if err := figure.CheckName(path); err != nil {
		return err
	}
	return atomicfile.Write(path, picture.SVG())
}
