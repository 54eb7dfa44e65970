package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/argspec"
	"github.com/gridstride/gridstride/internal/atomicfile"
	"github.com/gridstride/gridstride/internal/runptx"
	"github.com/spf13/cobra"
)

const runHelp = `Run runs one kernel of a PTX file, whichever compiler wrote it, and prints how long
it took on which device.

The kernel's arguments are given in order, each with --arg:

  u32=1024            a scalar; types are u8 to u64, s8 to s64 (or i8 to i64), b8 to b64, f32, f64
  f32[1024]           a buffer of 1024 elements, uninitialised
  f32[1024]=zeros     … of zeros; also ones, ramp (0, 1, 2, …), random:SEED, a number, or a NumPy
                      file
  f32x4[256]          a buffer of 256 elements of 4 values each, as gpu.Float32x4; also x2 and x3
  x.npy               a buffer with the elements of a NumPy file

A slice of a kernel written in Go is one argument, its length in elements goes with it. --out says
what becomes of a buffer afterwards: "--out 2" prints argument 2, counted from 0, and "--out
2:y.npy" writes it to a NumPy file.`

func newRun() *cobra.Command {
	var entry, grid, block, device string
	var shared int
	var args, outs []string
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
			job, err := launchFlags{entry, grid, block, shared}.job(files[0], args, outs)
			if err != nil {
				return err
			}
			var options []gridstride.Option
			if device != "" {
				options = append(options, gridstride.Use(device))
			}
			dev, err := gridstride.Open(options...)
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
	flags := cmd.Flags()
	flags.StringVar(&entry, "entry", "", "`name` of the kernel; not needed where the file has only one")
	flags.StringVar(&grid, "grid", "1", "`size` of the grid in blocks: N, NxM or NxMxK")
	flags.StringVar(&block, "block", "",
		"`size` of a block in threads: N, NxM or NxMxK; not needed where the kernel fixes it")
	flags.IntVar(&shared, "shared", 0, "dynamic shared memory of a block in `bytes`")
	flags.StringArrayVar(&args, "arg", nil, "an `argument` of the kernel; once for each, in order")
	flags.StringArrayVar(&outs, "out", nil, "a `buffer` to print (N) or to write (N:FILE.npy) when the kernel has run")
	flags.StringVar(&device, "device", "", "`device`: sim, cuda or cuda:1 (default: the first GPU, else the simulator)")
	return cmd
}

func launchConfig(grid, block string, shared int) (gridstride.Config, error) {
	config := gridstride.Config{SharedBytes: shared}
	if shared < 0 {
		return config, usagef("--shared %d: must not be negative", shared)
	}
	var err error
	if config.GridDim, err = parseDim("--grid", grid); err != nil {
		return config, err
	}
	if block != "" {
		config.BlockDim, err = parseDim("--block", block)
	}
	return config, err
}

// parseDim reads "4", "16x16" or "8x8x4".
func parseDim(flag, text string) (gridstride.Dim3, error) {
	sizes := [3]int{1, 1, 1}
	parts := strings.Split(text, "x")
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || i >= len(sizes) {
			return gridstride.Dim3{}, usagef("%s %s: want N, NxM or NxMxK", flag, text)
		}
		if n < 1 {
			return gridstride.Dim3{}, usagef("%s %s: every size must be at least 1", flag, text)
		}
		sizes[i] = n
	}
	return gridstride.Dim3{X: sizes[0], Y: sizes[1], Z: sizes[2]}, nil
}

// job is the launch of a kernel of a PTX file, with what --arg and --out say.
func (l launchFlags) job(file string, args, outs []string) (*runptx.Job, error) {
	job := &runptx.Job{File: file, Entry: l.entry}
	var err error
	if job.Config, err = launchConfig(l.grid, l.block, l.shared); err != nil {
		return nil, err
	}
	return job, parseArgs(job, args, outs)
}

// parseArgs reads what --arg and --out say.
func parseArgs(job *runptx.Job, args, outs []string) error {
	for _, text := range args {
		arg, err := argspec.Parse(text)
		if err != nil {
			return fmt.Errorf("--arg %s: %w", text, err)
		}
		job.Args = append(job.Args, arg)
	}
	for _, text := range outs {
		out, err := argspec.ParseOut(text, job.Args)
		if err != nil {
			return fmt.Errorf("--out %s: %w", text, err)
		}
		if err := checkOut(out, job.Outs); err != nil {
			return fmt.Errorf("--out %s: %w", text, err)
		}
		job.Outs = append(job.Outs, out)
	}
	return nil
}

// checkOut refuses a file that could not be written after all the work, or that another --out would
// write over.
func checkOut(out argspec.Out, others []argspec.Out) error {
	if out.File == "" {
		return nil
	}
	for _, o := range others {
		if filepath.Clean(o.File) == filepath.Clean(out.File) {
			return fmt.Errorf("--out %d:%s writes the same file", o.Arg, o.File)
		}
	}
	return atomicfile.Ready(out.File)
}
