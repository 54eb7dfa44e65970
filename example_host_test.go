package gridstride_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/gridstride/gridstride"
)

// Devices lists what Open can open, without opening it.
func ExampleDevices() {
	for _, info := range gridstride.Devices() {
		if info.Backend == "sim" {
			fmt.Println(info.Use, "is the", info.Name)
		} else {
			log.Println(info.Use, "is an", info.Name, "with", info.Memory>>30, "GiB, compute capability", info.Capability)
		}
	}
	// Output: sim is the simulator
}

// Two devices send each other data: the stream of the second waits for the event of the first.
func ExampleCopy_devices() {
	first, err := gridstride.Open(gridstride.Use("sim"))
	if err != nil {
		log.Fatal(err)
	}
	defer first.Close()
	second, err := gridstride.Open(gridstride.Use("sim"))
	if err != nil {
		log.Fatal(err)
	}
	defer second.Close()
	a, err := gridstride.Make[int](first, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Free()
	b, err := gridstride.Make[int](second, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Free()

	if err := a.Fill(first.Stream(), 7); err != nil {
		log.Fatal(err)
	}
	s := second.Stream()
	err = errors.Join(s.After(first.Stream().Record()), gridstride.Copy(s, b, a))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Read(context.Background(), s, nil))
	// Output: [7 7 7] <nil>
}

// Device.Wait waits for the work of all streams. An event can be asked without waiting.
func ExampleEvent_Done() {
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
	s := dev.NewStream()
	if err := a.Zero(s); err != nil {
		log.Fatal(err)
	}
	zeroed := s.Record()
	if err := dev.Wait(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(zeroed.Done())
	// Output: true <nil>
}

// A stream calls a host function in order, after the work queued before it and before the work
// queued later. It must not use the device.
func ExampleStream_LaunchHostFunc() {
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
	host, err := gridstride.MakePinned[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer host.Free()

	s := dev.Stream()
	if err := a.ReadAsync(s, host); err != nil {
		log.Fatal(err)
	}
	if err := s.LaunchHostFunc(func() { fmt.Println(host.Data()) }); err != nil {
		log.Fatal(err)
	}
	if err := s.Wait(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output: [1 2 3]
}

// A buffer over memory that another library has allocated. Here it is a buffer's own.
func ExampleFromDevicePtr() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	theirs, err := gridstride.CopyOf(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer theirs.Free()

	a, err := gridstride.FromDevicePtr[float32](dev, theirs.DevicePtr(), 3)
	if err != nil {
		log.Fatal(err)
	}
	if err := a.Fill(dev.Stream(), 7); err != nil {
		log.Fatal(err)
	}
	fmt.Println(theirs.Read(context.Background(), dev.Stream(), nil))
	// Output: [7 7 7] <nil>
}

// A grid with a thread for each element, and the largest that a grid-stride loop has a use for.
func ExampleKernel_GridFor() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	module, err := dev.Load("kernels.ptx", kernels)
	if err != nil {
		log.Fatal(err)
	}
	scale, err := module.Kernel("scale")
	if err != nil {
		log.Fatal(err)
	}
	cfg, err := scale.GridFor(1_000_000)
	if err != nil {
		log.Fatal(err)
	}
	blocks, threads, err := scale.MaxPotentialBlockSize(0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cfg.GridDim.X*threads >= 1_000_000, blocks%dev.Info().Multiprocessors)
	// Output: true 0
}

// A part of a matrix of four columns: two rows and two columns of it, from row 1 and column 1 on.
func ExampleCopyMatrix() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	matrix, err := gridstride.CopyOf(dev, []int32{
		0, 1, 2, 3,
		10, 11, 12, 13,
		20, 21, 22, 23,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer matrix.Free()
	packed, err := gridstride.Make[int32](dev, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer packed.Free()

	s := dev.Stream()
	err = gridstride.CopyMatrix(s,
		gridstride.Matrix[int32]{Data: packed, Rows: 2, Cols: 2, Stride: 2},
		gridstride.Matrix[int32]{Data: matrix.Slice(5, 12), Rows: 2, Cols: 2, Stride: 4})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(packed.Read(context.Background(), s, nil))
	// Output: [11 12 21 22] <nil>
}
