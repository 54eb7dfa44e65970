package gridstride_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log"

	"github.com/gridstride/gridstride"
)

//go:embed testdata/kernels.ptx
var kernels string

// A kernel from PTX text, whichever compiler wrote it. Kernels written in Go have generated
// launchers instead of Load and Kernel, and the Go compiler checks their arguments.
func Example() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	module, err := dev.Load("kernels.ptx", kernels)
	if err != nil {
		log.Fatal(err)
	}
	scale, err := module.Kernel("scale") // scale(a []float32, f float32): a[i] *= f
	if err != nil {
		log.Fatal(err)
	}
	a, err := gridstride.CopyOf(dev, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Free()

	s := dev.Stream()
	if err := scale.Launch(s, gridstride.Grid(1).Block(32), a, float32(2.5)); err != nil {
		log.Fatal(err)
	}
	result, err := a.Read(context.Background(), s, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output: [2.5 5 7.5 10]
}

// A view is a buffer: it can be read, written and passed to a kernel.
func ExampleBuffer_Slice() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	b, err := gridstride.CopyOf(dev, []int{10, 11, 12, 13, 14})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Free()

	ctx, s := context.Background(), dev.Stream()
	if err := b.Slice(1, 3).Write(ctx, s, []int{-1, -2}); err != nil {
		log.Fatal(err)
	}
	result, err := b.Slice(0, 4).Read(ctx, s, nil)
	fmt.Println(result, err)
	// Output:
	// [10 -1 -2 13] <nil>
}

// A kernel that fails ends, and the next wait says where. Nothing else is harmed.
func ExampleKernelError() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	module, err := dev.Load("kernels.ptx", kernels)
	if err != nil {
		log.Fatal(err)
	}
	check, err := module.Kernel("check") // check(n int) indexes an array of length n by its thread index
	if err != nil {
		log.Fatal(err)
	}
	s := dev.Stream()
	if err := check.Launch(s, gridstride.Grid(1).Block(6), 5); err != nil {
		log.Fatal(err)
	}
	err = s.Wait(context.Background())
	fmt.Println(err)
	if failure, ok := errors.AsType[*gridstride.KernelError](err); ok {
		fmt.Println("line", failure.Line, "thread", failure.Thread)
	}
	// Output:
	// check: index out of range [5] with length 5 at kernels.go:24:9, block (0,0,0) thread (5,0,0)
	// line 24 thread (5,0,0)
}

// Streams run concurrently. After orders work that must be ordered.
func ExampleStream_After() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	a, err := gridstride.CopyOf(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Free()

	first, second := dev.NewStream(), dev.NewStream()
	if err := a.Zero(first); err != nil {
		log.Fatal(err)
	}
	if err := second.After(first.Record()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Read(context.Background(), second, nil))
	// Output: [0 0 0] <nil>
}

// Copy and Fill stay on the device: nothing goes through the host.
func ExampleCopy() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	a, err := gridstride.CopyOf(dev, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Free()
	b, err := gridstride.Make[float32](dev, 6)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Free()

	s := dev.Stream()
	if err := b.Fill(s, -1); err != nil {
		log.Fatal(err)
	}
	if err := gridstride.Copy(s, b.Slice(1, 5), a); err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Read(context.Background(), s, nil))
	// Output: [-1 1 2 3 4 -1] <nil>
}

// A graph is launched by one call, as often as wanted, with what each of its calls was given. Set
// changes that.
func ExampleStream_Capture() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	a, err := gridstride.CopyOf(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Free()

	s := dev.Stream()
	sum, err := gridstride.Make[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer sum.Free()
	g, err := s.Capture(func(s *gridstride.Stream) error {
		return errors.Join(sum.Fill(s, 7), gridstride.Copy(s, sum.Slice(0, 2), a.Slice(1, 3)))
	})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	exec, err := g.Instantiate()
	if err != nil {
		log.Fatal(err)
	}
	defer exec.Close()
	if err := exec.Launch(s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Read(context.Background(), s, nil))

	fill := g.Nodes()[0]
	if err := exec.Set(fill, func(s *gridstride.Stream) error { return sum.Fill(s, 8) }); err != nil {
		log.Fatal(err)
	}
	if err := exec.Launch(s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Read(context.Background(), s, nil))
	// Output:
	// [2 3 7] <nil>
	// [2 3 8] <nil>
}

// Nodes without an order run at the same time. A function queues the work of a
// node.
func ExampleGraph_Add() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	a, err := gridstride.Make[int32](dev, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Free()

	g := gridstride.NewGraph(dev)
	defer g.Close()
	left, err1 := g.Add(func(s *gridstride.Stream) error { return a.Slice(0, 2).Fill(s, 1) })
	right, err2 := g.Add(func(s *gridstride.Stream) error { return a.Slice(2, 4).Fill(s, 2) })
	_, err3 := g.Add(func(s *gridstride.Stream) error { return a.Slice(1, 3).Fill(s, 3) }, left, right)
	if err := errors.Join(err1, err2, err3); err != nil {
		log.Fatal(err)
	}
	exec, err := g.Instantiate()
	if err != nil {
		log.Fatal(err)
	}
	defer exec.Close()
	s := dev.Stream()
	if err := exec.Launch(s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Read(context.Background(), s, nil))
	// Output: [1 3 3 2] <nil>
}
