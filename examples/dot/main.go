// Dot computes the dot product of two vectors on a GPU, or on the simulator if there is none, and
// checks it against the exact one.
//
//	go run ./examples/dot -n 10000000
//	go run ./examples/dot -a x.npy -b y.npy
//
// The vectors are generated (uniform random numbers in [0, 1), the same ones in every run), or read
// from two files that numpy.save wrote, of float32 or float64. A NaN in them is pointed out, and
// makes the result NaN, as it should. The exit status is 1 where the result is further from the
// exact one than rounding explains, or where anything else failed, and 2 for flags that make no
// sense.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/gridstride/gridstride"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	var usage *usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "dot:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "dot:", err)
		os.Exit(1)
	}
}

// usageError is flags that make no sense.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// options are the command line.
type options struct {
	in     *input
	blocks int // 0: chosen by size
	device string
}

func run(ctx context.Context, args []string, out io.Writer) error {
	opts, err := parse(args, out)
	if err != nil {
		return err
	}
	var use []gridstride.Option
	if opts.device != "" {
		use = append(use, gridstride.Use(opts.device))
	}
	dev, err := gridstride.Open(use...)
	if err != nil {
		return err
	}
	if opts.in.dtype == "float64" {
		err = compare[float64](ctx, dev, opts, out)
	} else {
		err = compare[float32](ctx, dev, opts, out)
	}
	return errors.Join(err, dev.Close())
}

// parse reads the command line, and the files it names.
func parse(args []string, out io.Writer) (*options, error) {
	flags := flag.NewFlagSet("dot", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	n := flags.Int("n", 10_000_000, "`length` of the generated vectors")
	dtype := flags.String("dtype", "float32", "`type` of the generated vectors: float32 or float64")
	a := flags.String("a", "", "`file` with the first vector, as numpy.save writes it")
	b := flags.String("b", "", "`file` with the second vector")
	opts := &options{}
	flags.IntVar(&opts.blocks, "blocks", 0, "`number` of blocks (default 1024, fewer for short vectors)")
	flags.StringVar(&opts.device, "device", "", "`device`: sim, cuda or cuda:1 (default: the first GPU, else the simulator)")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(out)
		flags.Usage()
		return nil, err
	case err != nil:
		return nil, &usageError{err}
	}

	set := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
	switch {
	case flags.NArg() > 0:
		return nil, usagef("%q is no flag: files are given with -a and -b", flags.Arg(0))
	case set["a"] != set["b"]:
		return nil, usagef("-a and -b name the two vectors: give both or none")
	case set["a"] && (set["n"] || set["dtype"]):
		return nil, usagef("-n and -dtype are of generated vectors: leave them out with -a and -b")
	case *n < 0:
		return nil, usagef("-n %d: a vector has no negative length", *n)
	case *dtype != "float32" && *dtype != "float64":
		return nil, usagef("-dtype %s: want float32 or float64", *dtype)
	case set["blocks"] && opts.blocks < 1:
		return nil, usagef("-blocks %d: want at least 1", opts.blocks)
	}
	var err error
	opts.in = &input{dtype: *dtype, n: *n}
	if set["a"] {
		opts.in, err = readInput(*a, *b)
	}
	return opts, err
}
