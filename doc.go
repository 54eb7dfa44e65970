// Package gridstride runs compute kernels written in Go on NVIDIA GPUs, and the same kernels on a
// simulator on any machine.
//
// A kernel is an ordinary Go function in the language of package gpu, marked with a //gpu:kernel
// comment. The command "gridstride build" compiles it to PTX and writes a typed launcher into the
// same directory. This package is the host's side: it opens a device, keeps buffers in its memory,
// and launches.
//
//	dev, err := gridstride.Open()
//	defer dev.Close()
//	a, err := gridstride.CopyOf(dev, hostA)
//	c, err := gridstride.Make[float32](dev, blocks)
//	k, err := LoadPartial[float32](dev) // generated
//	s := dev.Stream() // the device's own
//	err = k.Launch(s, gridstride.Grid(blocks).Block(256), a, b, c)
//	sums, err := c.Read(ctx, s, nil) // waits; []float32
//
// # Order
//
// Work is queued on a [Stream] and runs in the order it was queued. A device has its own stream,
// [Device.Stream]. [Device.NewStream] makes others, and streams run concurrently. Launch returns
// before the kernel has run. Functions that wait take a context.Context. Its end ends the wait, not
// the work.
//
// # Concurrency
//
// Every value of this package may be used by any number of goroutines at once, and a goroutine that
// waits stalls no other.
//
// # Errors
//
// Errors are values that name the operation and the thing: "launch dot.Partial: argument 2 (b) is
// on device 1, the kernel on device 0". errors.Is tells them apart by the Err variables. A kernel
// that fails (an index out of range, a division by zero, a failed gpu.Assert) ends, and the next
// wait on its stream returns a [*KernelError] with Go's message, the position, the block and the
// thread. The device and every buffer stay usable.
package gridstride
