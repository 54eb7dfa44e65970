package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/library/npymetric"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/spf13/cobra"
)

const metricHelp = `Metric computes how far apart the vectors in two NumPy files are, or the squared
norm of one:

  mse, rmse, mae                                   losses
  cosine, cosinedistance, pearson                  similarities
  euclidean, squaredeuclidean, manhattan, chebyshev  distances
  dot, squarednorm                                 the sums that they are made of

A file of two dimensions has a vector a row, and gives a value a row: with the same row of the other
file, or with its only one. Files of float32 are computed in float32, all others in float64. The
processor computes, with its widest vectors; -device takes a GPU or the simulator.

-json writes an object with "metric", "dtype", "device", "n", the elements of a vector, and "value",
a number, or a list of one a row. Numbers that JSON does not have are the words "NaN", "Infinity" and
"-Infinity".`

func newMetric() *cobra.Command {
	var job npymetric.Job
	var asJSON bool
	var limit timeout
	cmd := &cobra.Command{
		Use:   "metric NAME a.npy [b.npy]",
		Short: "Compute how far apart the vectors in NumPy files are",
		Long:  metricHelp,
		Example: "  gridstride metric cosine a.npy b.npy\n" +
			"  gridstride metric squarednorm gradient.npy -json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("metric takes a name and files; the names are %s", strings.Join(npymetric.Names(), ", "))
			}
			job.Metric, job.Files = args[0], args[1:]
			if err := job.Check(); err != nil {
				return &cli.UsageError{Err: err}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if job.TimeLimit, err = limit.limit(); err != nil {
				return err
			}
			r, err := job.Run(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return writeMetricJSON(cmd.OutOrStdout(), r)
			}
			return writeMetric(cmd.OutOrStdout(), r)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&job.Device, "device", "", "`device`: sim, cuda or cuda:1 (default: the processor)")
	limit.add(cmd)
	flags.BoolVar(&asJSON, "json", false, "write one JSON object")
	return cmd
}

// formatValue is a value with the digits that tell it from its neighbours of its type.
func formatValue(v float64, dtype string) string {
	bits := 64
	if dtype == "float32" {
		bits = 32
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

// writeMetric writes a value a line.
func writeMetric(w io.Writer, r *npymetric.Result) error {
	var b strings.Builder
	for _, v := range r.Values {
		b.WriteString(formatValue(v, r.DType))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// jsonValue is a value as JSON, which has no NaN and no infinities.
func jsonValue(v float64, dtype string) json.RawMessage {
	switch {
	case math.IsNaN(v):
		return json.RawMessage(`"NaN"`)
	case math.IsInf(v, 1):
		return json.RawMessage(`"Infinity"`)
	case math.IsInf(v, -1):
		return json.RawMessage(`"-Infinity"`)
	}
	return json.RawMessage(formatValue(v, dtype))
}

func writeMetricJSON(w io.Writer, r *npymetric.Result) error {
	values := make([]json.RawMessage, len(r.Values))
	for i, v := range r.Values {
		values[i] = jsonValue(v, r.DType)
	}
	var value any = values
	if !r.Rows {
		value = values[0]
	}
	text, err := json.Marshal(struct {
		Metric string `json:"metric"`
		DType  string `json:"dtype"`
		Device string `json:"device"`
		N      int    `json:"n"`
		Value  any    `json:"value"`
	}{r.Metric, r.DType, r.Device, r.N, value})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}
