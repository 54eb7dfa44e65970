package main

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/bench"
	"github.com/spf13/cobra"
)

const benchHelp = `Bench runs every variant of a kernel side by side and says how long each takes and how far its result is from a reference.

  dot       the dot product of two vectors of -n elements, from products on the device to one pass
  reduce    sum, sum of squares, min, max, argmin and argmax of a vector of -n elements
  matmul    the product of a -m by -n matrix and a -n by -l one

On a GPU each variant is warmed up and launched again and again, in an order that is turned round each time, over more data than its caches hold;
the time is the median by the device's clock. The speed is that against the first row, and "of copy" the share of what the device copies in a
second. On the simulator the columns are counts, which explain the time on a GPU.`

func newBench() *cobra.Command {
	var o bench.Options
	var device string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "bench dot|reduce|matmul",
		Short:   "Time the variants of a kernel side by side",
		Long:    benchHelp,
		Example: "  gridstride bench dot -n 268435456 -dtype float64\n  gridstride bench matmul -m 100 -n 200 -l 300 -device sim",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("bench takes one of dot, reduce and matmul")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.What = args[0]
			var options []gridstride.Option
			if device != "" {
				options = append(options, gridstride.Use(device))
			}
			dev, err := gridstride.Open(options...)
			if err != nil {
				return err
			}
			defer func() {
				if e := dev.Close(); err == nil {
					err = e
				}
			}()
			benchSizes(cmd, &o, dev.Info().Backend == "sim")
			o.Progress = cmd.ErrOrStderr()
			rows, err := bench.Run(cmd.Context(), dev, o)
			if err != nil {
				return err
			}
			if asJSON {
				err = bench.JSON(cmd.OutOrStdout(), rows)
			} else {
				err = bench.Text(cmd.OutOrStdout(), rows)
			}
			for _, r := range rows {
				if err == nil && r.Wrong != "" {
					err = fmt.Errorf("the result of %s is wrong: %s", r.Variant, r.Wrong)
				}
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&o.N, "n", "n", 0, "`length` of the vectors (default 268435456, on the simulator 1048576), or columns of A and rows of B")
	flags.IntVarP(&o.M, "m", "m", 0, "`rows` of A (default 4096, on the simulator 256; so -n and -l)")
	flags.IntVarP(&o.L, "l", "l", 0, "`columns` of B")
	flags.StringVar(&o.DType, "dtype", "float32", "`type` of the elements: float32 or float64")
	flags.StringSliceVar(&o.Variants, "variants", nil, "`names` of the variants to run (default: all)")
	flags.StringVar(&device, "device", "", "`device`: sim, cuda or cuda:1 (default: the first GPU, else the simulator)")
	flags.BoolVar(&asJSON, "json", false, "write one JSON list, an object a row")
	return cmd
}

// benchSizes sets the sizes that the command line leaves open.
func benchSizes(cmd *cobra.Command, o *bench.Options, simulated bool) {
	length, side := 1<<28, 4096
	if simulated {
		length, side = 1<<20, 256
	}
	if o.What == "matmul" {
		length = side
	}
	for _, size := range []struct {
		flag  string
		value *int
		n     int
	}{{"n", &o.N, length}, {"m", &o.M, side}, {"l", &o.L, side}} {
		if !cmd.Flags().Changed(size.flag) {
			*size.value = size.n
		}
	}
}
