// Gpusuite runs the tests and benchmarks that need a device on a machine that has an NVIDIA driver
// and no Go.
//
//	go run ./internal/proof/gpusuite bundle -o .build/gpu       here: builds every such test, and this program, without cgo
//	.build/gpu/run                                        there: runs them on the GPU; -h lists the flags
//
// What ran is written as JSON, with the device, the driver, the date, the commit and the command:
// the form of docs/measurements.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	args := os.Args[1:]
	command := run
	if len(args) > 0 && args[0] == "bundle" {
		command, args = bundle, args[1:]
	}
	switch err := command(ctx, args); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "gpusuite:", err)
		os.Exit(1)
	}
}
