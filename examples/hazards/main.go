// Hazards runs kernels with the classic bugs of GPU programming, each with its repaired twin, and
// prints the results.
//
//	go run ./examples/hazards
//
// A wrong kernel may well give the right result: that makes these bugs hard to find. main_test.go
// shows the findings of the checks for each, and so does README.md. On a GPU only the repaired
// kernels are launched, as some of the others would hang it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/gridstride/gridstride"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := show(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "hazards:", err)
		os.Exit(1)
	}
}

// show runs all kernels.
func show(ctx context.Context, out io.Writer) error {
	dev, err := gridstride.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	for _, h := range hazards {
		fmt.Fprintf(out, "%s\n", h.name)
		for _, p := range h.bug {
			outcome := "not launched on a GPU"
			if dev.Info().Backend == "sim" {
				outcome = p.outcome(ctx, dev)
			}
			fmt.Fprintf(out, "  bug       %-30s  %s\n", p.name, outcome)
		}
		for _, p := range h.repaired {
			fmt.Fprintf(out, "  repaired  %-30s  %s\n", p.name, p.outcome(ctx, dev))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return dev.Close()
}
