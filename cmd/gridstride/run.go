package main

import (
	"io"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/option"
	"github.com/spf13/cobra"
)

const runHelp = `Run runs one kernel of a PTX file, whichever compiler wrote it, and prints how long
it took on which device.

The kernel's arguments are given in order, each with --arg:

  u32=1024            a scalar; types are u8 to u64, s8 to s64 (or i8 to i64), b8 to b64, f16, bf16,
                      f32, f64
  f32[1024]           a buffer of 1024 elements, uninitialised
  f32[1024]=zeros     … of zeros; also ones, ramp (0, 1, 2, …), random:SEED, a number, numbers with
                      commas between, or a NumPy file (for bfloat16 as ml_dtypes writes it: two
                      bytes without a type)
  f32x4[256]          a buffer of 256 elements of 4 values each, as gpu.Float32x4; also x2 and x3
  bf16[96x256]=ramp@64x64~128
                      a tensor map of a buffer with 96 rows of 256 elements, for copies of 64 rows of
                      64, with a swizzle of 128 bytes
  x.npy               a buffer with the elements of a NumPy file

A slice of a kernel written in Go is one argument, and its length in elements goes with it. --out
writes a buffer afterwards: "--out 2" prints argument 2, counted from 0, and "--out
2:y.npy" writes it to a NumPy file.`

func newRun() *cobra.Command {
	var launch launchFlags
	var device string
	var outs []string
	var limit timeout
	cmd := &cobra.Command{
		Use:   "run file.ptx",
		Short: "Run a kernel of a PTX file",
		Long:  runHelp,
		Example: "  gridstride run file.ptx --entry k --grid 4 --block 256 --arg f32[1024]=ramp --arg x.npy" +
			" --arg u32=1024 --out 0:y.npy",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("run takes one PTX file, %d are given", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) (err error) {
			job, err := launch.job(files[0], outs)
			if err != nil {
				return err
			}
			longest, err := limit.limit()
			if err != nil {
				return err
			}
			dev, err := openDevice(device, longest, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			if err := job.Run(cmd.Context(), dev, cmd.OutOrStdout()); err != nil {
				dev.Close()
				return err
			}
			return dev.Close()
		},
	}
	launch.register(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&outs, "out", nil, "a `buffer` to print (N) or to write (N:FILE.npy) when the kernel has run")
	limit.add(cmd)
	flags.StringVar(&device, "device", "", "`device`: sim, cuda or cuda:1 (default: the first GPU, else the simulator)")
	return cmd
}

// openDevice opens the device that a flag names. "" is the first GPU, else the simulator. What
// kernels print goes to out, as a PTX file may be anybody's and print what a terminal obeys. On a
// simulated one a launch may take as long as limit says.
func openDevice(name string, limit time.Duration, out io.Writer) (*gridstride.Device, error) {
	options := []gridstride.Option{option.TimeLimit(limit), gridstride.Output(out)}
	if name != "" {
		options = append(options, gridstride.Use(name))
	}
	return gridstride.Open(options...)
}
