package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/proof/bench"
	"github.com/gridstride/gridstride/internal/tools/figure"
	"github.com/spf13/cobra"
)

const benchHelp = `Bench runs every variant of a kernel side by side and says how long each takes
and how far its result is from a reference.

  dot       the dot product of two vectors of -n elements, from products on the device to one pass
  reduce    sum, sum of squares, min, max, argmin and argmax of a vector of -n elements
  matmul    the product of a -m by -n matrix and a -n by -l one
  tensor    the product of a -m by -n matrix and a transposed -l by -n one on tensor cores, of bfloat16
  collective
            the sorts, top-k, histograms and runs of gpu/collective, on tiles of 1024 of -n elements
  blas      what package blas computes of vectors of -n elements: dot products, norms, sums
  level2    what it computes of a -n by -n matrix and vectors: Gemv, Ger, Symv, Trmv, Trsv
  level3    what it computes of -n by -n matrices: Gemm, a batch of 100 with -n/16 rows, Syrk, Symm,
            Trmm, Trsm
  metric    what package metric does: losses, distances, similarities

On a GPU each variant is warmed up and launched again and again, in an order that is turned round
each time, over more data than its caches hold; the time is the median by the device's clock, and
the host's for the row of the processor, a loop in Go. If cuBLAS is found, it is timed on the
same stream (GRIDSTRIDE_CUBLAS names its file if it is in no usual place). OpenBLAS is timed next to
the processor's rows of blas, level2 and level3. The speed is relative to the first row. "of copy"
is the share of the device's copy bandwidth, and "of peak" the share of its peak of multiply-adds on
registers. On the simulator the columns are counts, which explain the time on a GPU.

With -end-to-end it times whole calls instead, allocation and copies included: the first, and later
ones, of data in ordinary memory, in pinned memory and on the device, at 1, 10 and 100 million
elements; and says from which size on the GPU pays. For blas and metric the processor has a row of
one core, and one of all.

With several sizes, -n 1000,10000,100000, there is a table for each. -plot draws the tables, and
"gridstride bench plot" draws them later, and elsewhere, from the JSON.`

// benchFlags are the flags of bench.
type benchFlags struct {
	bench.Options
	n       []int
	m, l    int
	device  string
	json    bool
	timeout timeout
	plot    string
	whole   bool // end to end
}

func newBench() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench " + strings.Join(bench.Names(), "|"),
		Short: "Time the variants of a kernel side by side",
		Long:  benchHelp,
		Example: "  gridstride bench dot -n 268435456 -dtype float64\n" +
			"  gridstride bench dot -n 1000,10000,100000,1000000 -variants onepass,cublas\n" +
			"  gridstride bench matmul -m 100 -n 200 -l 300 -device sim\n" +
			"  gridstride bench level3 -n 2000 -variants gemm-cpu,gemm-openblas",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("bench takes one of %s", strings.Join(bench.Names(), ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.What = args[0]
			return f.run(cmd)
		},
	}
	flags := cmd.Flags()
	flags.IntSliceVarP(&f.n, "n", "n", nil,
		"`lengths` of the vectors (default 268435456, on the simulator 1048576), columns of A and rows of B "+
			"(default 4096, on the simulator 256), or rows and columns of the matrices of level2 (8192, 256) and "+
			"level3 (4096, 128)")
	flags.IntVarP(&f.m, "m", "m", 0, "`rows` of A (default -n)")
	flags.IntVarP(&f.l, "l", "l", 0, "`columns` of B, of tensor its rows (default -n)")
	flags.StringVar(&f.DType, "dtype", "float32",
		"`type` of the elements: float32 or float64, for reduce and collective also int32 or int64, for tensor bfloat16")
	flags.StringVar(&f.Data, "data", bench.Random,
		"what the input holds: random; ramp, 0 to n-1 and all 2, whose product is n(n-1); sqrt2, all √2, whose "+
			"products are 2n")
	flags.StringSliceVar(&f.Variants, "variants", nil,
		"`names` of the variants to run (default: all, those that would take minutes on a part of the input)")
	flags.StringVar(&f.device, "device", "",
		"`device`: sim, cuda or cuda:1 (default: the first GPU, else the simulator)")
	f.timeout.add(cmd)
	flags.BoolVar(&f.json, "json", false, "write one JSON list, an object a row")
	flags.BoolVar(&f.whole, "end-to-end", false,
		"time whole calls instead, allocation and copies included, against the processor")
	flags.StringVar(&f.plot, "plot", "", "draw the rows, too, to `file.svg`")
	cmd.AddCommand(newBenchPlot())
	return cmd
}

func (f *benchFlags) run(cmd *cobra.Command) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	line := newProgress(cmd.ErrOrStderr())
	defer line.clear()
	f.Progress = line.show
	f.Setting = bench.Setting{
		Date:    time.Now().UTC().Format(time.DateOnly),
		Commit:  commit(),
		Command: "gridstride " + strings.Join(os.Args[1:], " "),
	}
	var t benchTable
	var err error
	if f.whole {
		t, err = f.endToEnd(cmd)
	} else {
		t, err = f.variants(cmd)
	}
	line.clear()
	if err != nil {
		return err
	}
	return f.write(cmd.OutOrStdout(), t)
}

// check is an error where the command line makes no sense, before anything is opened or measured.
func (f *benchFlags) check(cmd *cobra.Command) error {
	if f.whole && len(f.Variants) > 0 {
		return usagef("bench -end-to-end runs the variant that suits every size: it takes no -variants")
	}
	if !f.product() && (cmd.Flags().Changed("m") || cmd.Flags().Changed("l")) {
		return usagef("bench %s has one size, -n: -m and -l are for matmul and tensor", f.What)
	}
	if f.What == "tensor" && !cmd.Flags().Changed("dtype") {
		f.DType = "bfloat16"
	}
	if f.plot != "" {
		if err := figure.CheckName(f.plot); err != nil {
			return err
		}
	}
	for _, n := range f.n {
		if n < 1 {
			return usagef("bench -n %d: a size must be at least 1", n)
		}
	}
	var err error
	if f.TimeLimit, err = f.timeout.limit(); err != nil {
		return err
	}
	f.sizes(cmd, false)
	return f.Check()
}

// product is whether matrices have three sizes.
func (f *benchFlags) product() bool { return f.What == "matmul" || f.What == "tensor" }

// benchTable is rows of either kind, as far as the command needs to know them.
type benchTable struct {
	rows    any // what -json writes
	text    func(w io.Writer) error
	picture func() (figure.Picture, error)
	wrong   string
}

// variants runs the variants on the device.
func (f *benchFlags) variants(cmd *cobra.Command) (t benchTable, err error) {
	dev, err := f.open()
	if err != nil {
		return t, err
	}
	defer func() {
		if e := dev.Close(); err == nil {
			err = e
		}
	}()
	f.sizes(cmd, dev.Info().Backend == "sim")
	rows, err := bench.Run(cmd.Context(), dev, f.Options)
	for _, r := range rows {
		if r.Wrong != "" && t.wrong == "" {
			t.wrong = fmt.Sprintf("the result of %s is wrong: %s", r.Variant, r.Wrong)
		}
	}
	t.rows = rows
	t.text = func(w io.Writer) error { return bench.Text(w, rows) }
	t.picture = func() (figure.Picture, error) { return bench.Picture(rows) }
	return t, err
}

// endToEnd times whole calls.
func (f *benchFlags) endToEnd(cmd *cobra.Command) (t benchTable, err error) {
	if !cmd.Flags().Changed("n") {
		f.Sizes = nil
	}
	rows, err := bench.EndToEnd(cmd.Context(), f.open, f.Options)
	for _, r := range rows {
		if r.Wrong != "" && t.wrong == "" {
			t.wrong = fmt.Sprintf("the result of %s is wrong: %s", r.Way, r.Wrong)
		}
	}
	t.rows = rows
	t.text = func(w io.Writer) error { return bench.EndText(w, rows) }
	t.picture = func() (figure.Picture, error) { return bench.EndPicture(rows) }
	return t, err
}

// write writes the table, and the picture.
func (f *benchFlags) write(w io.Writer, t benchTable) error {
	text := t.text
	if f.json {
		text = func(w io.Writer) error { return bench.JSON(w, t.rows) }
	}
	if err := text(w); err != nil {
		return err
	}
	if f.plot != "" {
		picture, err := t.picture()
		if err == nil {
			err = writePicture(f.plot, picture)
		}
		if err != nil {
			return err
		}
	}
	if t.wrong != "" {
		return errors.New(t.wrong)
	}
	return nil
}

// open opens the device.
func (f *benchFlags) open() (*gridstride.Device, error) {
	return openDevice(f.device, f.TimeLimit, io.Discard)
}

// sizes sets the sizes.
func (f *benchFlags) sizes(cmd *cobra.Command, simulated bool) {
	lengths := f.n
	if !cmd.Flags().Changed("n") {
		onGPU, onSimulator := 1<<28, 1<<20
		switch f.What {
		case "matmul", "tensor":
			onGPU, onSimulator = 4096, 256
		case "level2":
			onGPU, onSimulator = 8192, 256
		case "level3":
			onGPU, onSimulator = 4096, 128
		}
		lengths = []int{onGPU}
		if simulated {
			lengths = []int{onSimulator}
		}
	}
	f.Sizes = nil
	for _, n := range lengths {
		size := bench.Size{N: n}
		if f.product() {
			size.M, size.L = n, n
			if cmd.Flags().Changed("m") {
				size.M = f.m
			}
			if cmd.Flags().Changed("l") {
				size.L = f.l
			}
		}
		f.Sizes = append(f.Sizes, size)
	}
}

// commit is the commit that the command was built from, as far as the build knows, with a + where
// the checkout had changes.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["vcs.modified"] == "true" {
		return settings["vcs.revision"] + "+"
	}
	return settings["vcs.revision"]
}
