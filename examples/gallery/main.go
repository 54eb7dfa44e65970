// Gallery runs kernels of well-known algorithms, each with a twin in plain Go that does the same on
// the host, and says whether the two give the same bits.
//
//	go run ./examples/gallery
//	go run ./examples/gallery softmax fft
//
// Each kernel is in a file with its twin and its launch: README.md has a list. The exit status is
// 1 if host and device differ, or if anything else failed, and 2 for arguments that make no
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
	"slices"
	"strings"

	"github.com/gridstride/gridstride"
)

//go:generate go tool gridstride build

// exhibits are all kernels of the gallery.
var exhibits = []*exhibit{
	&softmaxExhibit, &layerNormExhibit, &layerNormGradExhibit, &geluExhibit, &blackScholesExhibit, &fftExhibit,
	&mandelbrotExhibit, &nbodyExhibit, &piExhibit, &radixSortExhibit, &spmvExhibit, &bfsExhibit, &kmeansExhibit,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	var usage *usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}

// usageError is arguments that make no sense.
type usageError struct{ error }

// run runs the exhibits that are named, or all.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("gallery", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	scale := flags.Int("scale", 1, "make the inputs `n` times as large")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		usage(flags, out)
		return err
	} else if err != nil {
		return &usageError{err}
	}
	if *scale < 1 || *scale > 1<<20 {
		return &usageError{fmt.Errorf("-scale %d: want a number from 1 to %d", *scale, 1<<20)}
	}
	chosen, err := choose(flags.Args())
	if err != nil {
		return err
	}
	dev, err := gridstride.Open()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "on %v\n", dev)
	for _, e := range chosen {
		err = errors.Join(err, e.print(ctx, dev, *scale, out))
		if ctx.Err() != nil {
			return err // the exhibit may still use the device
		}
	}
	return errors.Join(err, dev.Close())
}

// choose finds exhibits by their names. All are chosen where none is named.
func choose(names []string) (chosen []*exhibit, err error) {
	if len(names) == 0 {
		return exhibits, nil
	}
	var known []string
	for _, e := range exhibits {
		known = append(known, e.name)
		if slices.Contains(names, e.name) {
			chosen = append(chosen, e)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, &usageError{fmt.Errorf("there is no exhibit %q: there are %s", name, strings.Join(known, ", "))}
		}
	}
	return chosen, nil
}

// print runs an exhibit and writes a line about it.
func (e *exhibit) print(ctx context.Context, dev *gridstride.Device, scale int, out io.Writer) error {
	v, err := e.see(ctx, dev, e.size*scale)
	if err != nil {
		return err
	}
	agree := "host and device agree"
	if v.differ != "" {
		agree = "DIFFERENT"
		err = fmt.Errorf("%s: %s", e.name, v.differ)
	}
	line := fmt.Sprintf("%-13s %-34s %10.3f ms   %s   %s", e.name, v.input, 1e3*v.kernel.Seconds(), agree, v.result)
	fmt.Fprintln(out, strings.TrimRight(line, " "))
	return err
}

// usage writes how the command is called.
func usage(flags *flag.FlagSet, out io.Writer) {
	fmt.Fprintln(out, "usage: gallery [-scale number] [exhibit …]")
	flags.SetOutput(out)
	flags.PrintDefaults()
	for _, e := range exhibits {
		fmt.Fprintf(out, "  %-13s %s\n", e.name, e.algorithm)
	}
}
