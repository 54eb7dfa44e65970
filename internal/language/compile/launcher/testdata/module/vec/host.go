package vec

import (
	"context"

	"github.com/gridstride/gridstride"
)

// run runs the kernel fill on a device of its own.
func run(out []int32, values [2]int32) error {
	dev, err := gridstride.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	k, err := loadFill(dev)
	if err != nil {
		return err
	}
	b, err := gridstride.Make[int32](dev, len(out))
	if err != nil {
		return err
	}
	defer b.Free()
	s := dev.Stream()
	if err := k.Launch(s, gridstride.Grid(3).Block(32), b, values); err != nil {
		return err
	}
	_, err = b.Read(context.Background(), s, out)
	return err
}

// Affine is the map to m*x + shift.
func Affine[T ApplyT](m MatrixBuffers[T], shift gridstride.Buffer[T], path PathBuffers) affineBuffers[T] {
	return affineBuffers[T]{Matrix: m, shift: shift, path: path}
}
