// Firstcall times what a program waits for when it uses a library of kernels for the first time:
// the device is opened, and the driver compiles kernels, unless it finds them in its cache on disk.
//
//	CGO_ENABLED=0 go build -trimpath -o .build/firstcall ./internal/proof/gpusuite/firstcall    here
//	.build/firstcall -commit "$(git rev-parse HEAD)"                                             there
//
// Each call runs in its own process, with an empty cache (cold), and then in another with the cache
// of the first (warm). Option -repeat does this several times. The results are JSON on standard
// output, in the form of docs/measurements.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "firstcall:", err)
		os.Exit(1)
	}
}

// Results are printed as JSON.
type Results struct {
	What       string   `json:"what"`
	Device     string   `json:"device"`
	Capability string   `json:"capability"`
	Driver     string   `json:"driver"`
	Date       string   `json:"date"`
	Commit     string   `json:"commit"`
	Go         string   `json:"go"`
	Command    string   `json:"command"`
	Calls      []Result `json:"calls"`
}

// Result is a call with an empty cache and with a full one. Of several runs it has the medians.
type Result struct {
	Call string `json:"call"`
	Cold Times  `json:"cold"`
	Warm Times  `json:"warm"`
}

// Times are the seconds of one process.
type Times struct {
	Open   float64 `json:"open_s"`   // gridstride.Open
	First  float64 `json:"first_s"`  // the first call, with making the library's handle
	Second float64 `json:"second_s"` // the same call again
	// Load is the part of First in which the driver loaded modules. Kernels that are loaded at the
	// same time count each.
	Load    float64 `json:"load_s"`
	Modules int     `json:"modules"` // that were loaded
	Bytes   int64   `json:"bytes"`   // of PTX in them
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("firstcall", flag.ContinueOnError)
	one := flags.String("call", "", "time this call in this process, with the cache there is")
	commit := flags.String("commit", "", "the commit that this program is built from, for the results")
	repeat := flags.Int("repeat", 3, "how many processes of each kind there are")
	device := flags.String("device", "cuda", "GRIDSTRIDE_DEVICE")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *one != "" {
		t, err := timeCall(ctx, *one, *device, 1<<20, 1024)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(t)
	}
	if *repeat < 1 || *repeat > 1000 {
		return fmt.Errorf("-repeat is %d; want 1 to 1000", *repeat)
	}
	r, err := about(*device)
	if err != nil {
		return err
	}
	r.Commit, r.Command = *commit, strings.Join(append([]string{"firstcall"}, args...), " ")
	for _, c := range calls {
		result, err := measure(ctx, c.name, *device, *repeat)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%-18s cold %7.3f s, warm %7.3f s, %d modules of %d bytes\n",
			c.name, result.Cold.First, result.Warm.First, result.Cold.Modules, result.Cold.Bytes)
		r.Calls = append(r.Calls, result)
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(text, '\n'))
	return err
}

// about says what the measurement is of.
func about(use string) (*Results, error) {
	dev, err := gridstride.Open(gridstride.Use(use))
	if err != nil {
		return nil, err
	}
	info := dev.Info()
	driver := info.Driver
	if v := cuda.KernelVersion(); v != "" {
		driver += ", " + v
	}
	return &Results{
		What: "first calls", Device: info.Name, Capability: info.Capability, Driver: driver,
		Date: time.Now().Format(time.DateOnly), Go: runtime.Version(),
	}, dev.Close()
}

// measure runs a call in new processes, two for each cache: the first finds it empty.
func measure(ctx context.Context, name, device string, repeat int) (Result, error) {
	var cold, warm []Times
	for range repeat {
		cache, err := os.MkdirTemp("", "firstcall")
		if err != nil {
			return Result{}, err
		}
		for _, to := range []*[]Times{&cold, &warm} {
			t, err := child(ctx, name, device, cache)
			if err != nil {
				return Result{}, errors.Join(err, os.RemoveAll(cache))
			}
			*to = append(*to, t)
		}
		if err := os.RemoveAll(cache); err != nil {
			return Result{}, err
		}
	}
	return Result{name, medians(cold), medians(warm)}, nil
}

// child runs a call in a new process with a cache.
func child(ctx context.Context, name, device, cache string) (t Times, err error) {
	program, err := os.Executable()
	if err != nil {
		return t, err
	}
	c := exec.CommandContext(ctx, program, "-call="+name, "-device="+device)
	c.Env = append(os.Environ(), "CUDA_CACHE_PATH="+cache, "CUDA_CACHE_DISABLE=0")
	var complaint bytes.Buffer
	c.Stderr = &complaint
	text, err := c.Output()
	if err != nil {
		return t, fmt.Errorf("%s: %w\n%s", name, err, complaint.String())
	}
	return t, json.Unmarshal(text, &t)
}

// medians has the median of each time. What was loaded is the same in all.
func medians(all []Times) Times {
	m := all[0]
	for _, of := range []func(*Times) *float64{
		func(t *Times) *float64 { return &t.Open }, func(t *Times) *float64 { return &t.First },
		func(t *Times) *float64 { return &t.Second }, func(t *Times) *float64 { return &t.Load },
	} {
		var values []float64
		for i := range all {
			values = append(values, *of(&all[i]))
		}
		slices.Sort(values)
		*of(&m) = values[len(values)/2]
	}
	return m
}

// timeCall times a call on a device that it opens, of vectors of n elements, or of matrices with
// side rows and columns.
func timeCall(ctx context.Context, name, device string, n, side int) (t Times, err error) {
	i := slices.IndexFunc(calls, func(c call) bool { return c.name == name })
	if i < 0 {
		return t, fmt.Errorf("-call is %q; want one of %d calls, %q for example", name, len(calls), calls[0].name)
	}
	start := time.Now()
	dev, err := gridstride.Open(gridstride.Use(device))
	if err != nil {
		return t, err
	}
	t.Open = time.Since(start).Seconds()
	w := &work{ctx: ctx, dev: dev, n: n, side: side}
	call := calls[i].prepare(w)
	w.must(dev.Stream().Wait(ctx))
	if err := errors.Join(w.errs...); err != nil {
		return t, errors.Join(err, dev.Close())
	}
	before := loads()
	start = time.Now()
	err = call()
	t.First = time.Since(start).Seconds()
	after := loads()
	t.Load, t.Modules, t.Bytes = (after.Time - before.Time).Seconds(), after.Modules-before.Modules, after.Bytes-before.Bytes
	if err == nil {
		start = time.Now()
		err = call()
		t.Second = time.Since(start).Seconds()
	}
	if closed := dev.Close(); !errors.Is(closed, gridstride.ErrLeak) { // it frees the operands
		err = errors.Join(err, closed)
	}
	return t, err
}

// loads counts the modules that the driver has compiled so far, none on the simulator.
func loads() cuda.Loads {
	d, err := cuda.Open()
	if err != nil {
		return cuda.Loads{}
	}
	return d.Loads()
}
