package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/gridstride/gridstride/internal/atomicfile"
	"github.com/gridstride/gridstride/internal/bench"
	"github.com/gridstride/gridstride/internal/plot"
	"github.com/spf13/cobra"
)

const benchPlotHelp = `Plot draws rows that bench has written with -json. The rows of several files are drawn together, so that those of another run, or another
program that writes the same objects, stand beside ours.

Times are drawn as bars of speed, a chart for each size, with cuBLAS, CUB and what the device is able to as lines across them; three sizes or more
as lines of time over the size; counts of the simulator as a chart each.`

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
				return usagef("bench plot needs -o, the picture to write: file.svg or file.png")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var rows []bench.Row
			for _, path := range args {
				more, err := readRows(path)
				if err != nil {
					return err
				}
				rows = append(rows, more...)
			}
			return drawRows(out, rows)
		},
	}
	cmd.Flags().StringVarP(&out, "o", "o", "", "`file` to write, .svg or .png")
	return cmd
}

// readRows reads a file of rows.
func readRows(path string) (rows []bench.Row, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("%s: no list of rows, as bench -json writes it: %w", path, err)
	}
	return rows, nil
}

// drawRows writes the picture of rows to a file, in the format that its name asks for.
func drawRows(path string, rows []bench.Row) error {
	format, err := plot.Format(path)
	if err != nil {
		return err
	}
	picture, err := bench.Picture(rows)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := picture.Write(&b, format); err != nil {
		return err
	}
	return atomicfile.Write(path, b.Bytes())
}
