// Timing shows what the steps of using a device cost, and what several streams win: the program of
// the tutorial's fourth chapter.
//
//	go run ./docs/tutorial/timing
//	go run ./docs/tutorial/timing -n 67108864 -json
//
// The results that it writes with -json on an H200 are in docs/measurements, the source of the
// chapter's tables and pictures.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gridstride/gridstride"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "timing:", err)
		os.Exit(1)
	}
}

// Results is the measurements, and the device.
type Results struct {
	What       string `json:"what"`
	Device     string `json:"device"`
	Capability string `json:"capability"`
	Driver     string `json:"driver"`
	Date       string `json:"date"`
	Commit     string `json:"commit"`
	Modified   bool   `json:"modified"`
	Go         string `json:"go"`
	Command    string `json:"command"`

	N         int        `json:"n"`     // elements of 4 bytes
	Times     int        `json:"times"` // of Iterate
	Pieces    int        `json:"pieces"`
	Runs      []Run      `json:"runs"`
	Timelines []Timeline `json:"timelines"`
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("timing", flag.ContinueOnError)
	r := Results{What: "the steps of using a device, and one stream beside several"}
	flags.IntVar(&r.N, "n", 1<<16, "`number` of elements")
	flags.IntVar(&r.Times, "times", 100, "`number` of iterations for each element")
	flags.IntVar(&r.Pieces, "pieces", 4, "`number` of pieces that the vector is cut into for several streams")
	asJSON := flags.Bool("json", false, "write the results as JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || r.N < 0 || r.Times < 0 || r.Pieces < 1 {
		return errors.New("want -n and -times 0 at least, -pieces 1 at least, and nothing else")
	}
	dev, err := gridstride.Open()
	if err != nil {
		return err
	}
	if err := errors.Join(r.measure(ctx, dev), dev.Close()); err != nil {
		return err
	}
	if !*asJSON {
		r.print(out)
		return nil
	}
	r.Command = strings.Join(append([]string{"timing"}, args...), " ")
	e := json.NewEncoder(out)
	e.SetIndent("", "\t")
	return e.Encode(&r)
}

// measure fills in the results.
func (r *Results) measure(ctx context.Context, dev *gridstride.Device) error {
	info := dev.Info()
	r.Device, r.Capability, r.Driver, r.Date = info.Name, info.Capability, info.Driver, time.Now().Format(time.DateOnly)
	if build, ok := debug.ReadBuildInfo(); ok {
		r.Go = build.GoVersion
		for _, s := range build.Settings {
			switch s.Key {
			case "vcs.revision":
				r.Commit = s.Value
			case "vcs.modified":
				r.Modified = s.Value == "true"
			}
		}
	}
	for range 3 {
		steps, err := steps(ctx, dev, r.N, r.Times)
		if err != nil {
			return err
		}
		r.Runs = append(r.Runs, steps)
	}
	for _, streams := range []int{1, 2, r.Pieces} {
		t, err := pipeline(ctx, dev, r.N, r.Times, r.Pieces, streams)
		if err != nil {
			return err
		}
		r.Timelines = append(r.Timelines, t)
	}
	return nil
}

// print writes the results for people.
func (r *Results) print(out io.Writer) {
	fmt.Fprintf(out, "%s, %d elements, %d iterations\n\n%-24s", r.Device, r.N, r.Times, "ms")
	for i := range r.Runs {
		fmt.Fprintf(out, " %9s", fmt.Sprintf("run %d", i+1))
	}
	fmt.Fprintln(out)
	for i, step := range r.Runs[0] {
		fmt.Fprintf(out, "%-24s", step.What)
		for _, run := range r.Runs {
			fmt.Fprintf(out, " %9.3f", run[i].Micros/1000)
		}
		fmt.Fprintln(out)
	}
	for _, t := range r.Timelines {
		fmt.Fprintf(out, "\n%d pieces on %d streams: %.3f ms\n", r.Pieces, t.Streams, t.Micros/1000)
		for _, s := range t.Spans {
			fmt.Fprintf(out, "  stream %d  piece %d  %-8s  %9.3f to %9.3f ms\n", s.Stream, s.Piece, s.What, s.From/1000,
				s.To/1000)
		}
	}
}
