// Transformer trains a small transformer on a GPU, or on the simulator if there is none, and on the
// host, and says whether the two have the same weights after it, bit for bit.
//
//	go run ./examples/transformer
//	go run ./examples/transformer -steps 300 -sequences 16
//
// The kernels are in products.go, rows.go and elements.go. On the host they run as the Go functions
// that they are. The exit status is 1 if host and device differ, or if anything else failed, and 2
// for arguments that make no sense.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"time"

	"github.com/gridstride/gridstride"
)

//go:generate go tool gridstride build

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	var usage *usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "transformer:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "transformer:", err)
		os.Exit(1)
	}
}

// usageError is arguments that make no sense.
type usageError struct{ error }

// run runs the command.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("transformer", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	steps := flags.Int("steps", 100, "train for a `number` of steps")
	sequences := flags.Int("sequences", 2, "`number` of sequences in a step")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(out)
		flags.Usage()
		return err
	} else if err != nil {
		return &usageError{err}
	}
	if *steps < 1 || *steps > 1e6 || *sequences < 1 || *sequences > 1e3 {
		return &usageError{fmt.Errorf("%d steps of %d sequences; want 1 to 1000000 of 1 to 1000", *steps, *sequences)}
	}
	dev, err := gridstride.Open()
	if err != nil {
		return err
	}
	return errors.Join(compare(ctx, dev, *steps, *sequences, out), dev.Close())
}

// compare trains on a device and on the host.
func compare(ctx context.Context, dev *gridstride.Device, steps, sequences int, out io.Writer) error {
	start := time.Now()
	weights, losses, err := train(newMachine(ctx, dev), steps, sequences)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "on %v: %d steps in %.1f s\n", dev, steps, time.Since(start).Seconds())
	for i := 0; i < steps; i += max(steps/10, 1) {
		fmt.Fprintf(out, "step %4d: loss %.4f\n", i+1, losses[i])
	}
	fmt.Fprintf(out, "step %4d: loss %.4f\n", steps, losses[steps-1])
	start = time.Now()
	twins, twinLosses, err := train(newMachine(ctx, nil), steps, sequences)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "on the host: %d steps in %.1f s\n", steps, time.Since(start).Seconds())
	if differ := difference("loss", losses, twinLosses) + difference("weight", weights, twins); differ != "" {
		return errors.New(differ)
	}
	fmt.Fprintf(out, "host and device agree: all %d weights and %d losses have the same bits\n", len(weights), len(losses))
	return nil
}

// difference is the first difference of numbers from a device and from the host, "" for none.
func difference(what string, device, host []float32) string {
	for i := range device {
		if math.Float32bits(device[i]) != math.Float32bits(host[i]) {
			return fmt.Sprintf("%s %d is %v on the device, %v on the host; ", what, i, device[i], host[i])
		}
	}
	return ""
}
