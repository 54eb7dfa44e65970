// Threads shows which thread of a grid has which elements: the program of the tutorial's first
// chapter.
//
//	go run ./docs/tutorial/threads -n 27 -blocks 2 -threads 4 stride
//	go run ./docs/tutorial/threads chunk
//	go run ./docs/tutorial/threads square
//	go run ./docs/tutorial/threads unguarded
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
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "threads:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	what               string
	n, blocks, threads int
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("threads", flag.ContinueOnError)
	var o options
	flags.IntVar(&o.n, "n", 27, "`number` of elements")
	flags.IntVar(&o.blocks, "blocks", 2, "`number` of blocks")
	flags.IntVar(&o.threads, "threads", 4, "`number` of threads of a block")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.what = flags.Arg(0); o.n < 0 || flags.NArg() != 1 {
		return errors.New("want one of stride, chunk, square and unguarded, and -n 0 at least")
	}
	dev, err := gridstride.Open()
	if err != nil {
		return err
	}
	return errors.Join(o.show(ctx, dev, out), dev.Close())
}

// kernel is the launcher of a kernel of one buffer.
type kernel interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, x gridstride.Buffer[int32]) error
}

// kernels load the kernels, by their names on the command line.
var kernels = map[string]func(dev *gridstride.Device) (kernel, error){
	"square":    func(dev *gridstride.Device) (kernel, error) { return LoadSquare(dev) },
	"unguarded": func(dev *gridstride.Device) (kernel, error) { return LoadSquareUnguarded(dev) },
	"stride":    func(dev *gridstride.Device) (kernel, error) { return LoadStride(dev) },
	"chunk":     func(dev *gridstride.Device) (kernel, error) { return LoadChunk(dev) },
}

// show launches a kernel on 0, 1, … n-1 and prints what it left.
func (o *options) show(ctx context.Context, dev *gridstride.Device, out io.Writer) error {
	load, ok := kernels[o.what]
	if !ok {
		return fmt.Errorf("there is no %q: want stride, chunk, square or unguarded", o.what)
	}
	k, err := load(dev)
	if err != nil {
		return err
	}
	host := make([]int32, o.n)
	for i := range host {
		host[i] = int32(i)
	}
	x, err := gridstride.CopyOf(dev, host)
	if err != nil {
		return err
	}
	defer x.Free()
	s := dev.Stream()
	if err := k.Launch(s, gridstride.Grid(o.blocks).Block(o.threads), x); err != nil {
		return err
	}
	if host, err = x.Read(ctx, s, host); err != nil {
		return err
	}
	if o.what == "stride" || o.what == "chunk" {
		o.owners(out, host)
	} else {
		fmt.Fprintln(out, host)
	}
	return nil
}

// owners prints the elements of each thread.
func (o *options) owners(out io.Writer, owner []int32) {
	elements := make([][]int, o.blocks*o.threads)
	for i, thread := range owner {
		elements[thread] = append(elements[thread], i)
	}
	for thread, list := range elements {
		fmt.Fprintf(out, "block %d thread %d  has", thread/o.threads, thread%o.threads)
		for _, i := range list {
			fmt.Fprintf(out, " %2d", i)
		}
		fmt.Fprintln(out)
	}
}
