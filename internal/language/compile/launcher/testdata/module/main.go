// The program launches the kernels of package vec and prints what they computed.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"example.com/user/shape"
	"example.com/user/vec"
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

func main() {
	dev, err := gridstride.Open()
	check(err)
	axpy[float32](dev)
	axpy[float64](dev)
	axpy[int32](dev)
	fused(dev, gpu.Float16Of[float64])
	fused(dev, gpu.BFloat16Of[float64])
	move(dev)
	out := make([]int32, 5)
	check(vec.Fill(out, 7, -9))
	fmt.Println("fill", out)
	apply[float32](dev)
	apply[float64](dev)
	reverse(dev, vec.Pair[int32]{A: 1}, vec.Pair[int32]{B: 2}, vec.Pair[int32]{A: 3})
	reverse(dev, [2]vec.Pair[shape.Point]{1: {B: shape.Point{X: 1}}}, [2]vec.Pair[shape.Point]{})
	fail(dev)
	check(dev.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func copyOf[T any](dev *gridstride.Device, host ...T) gridstride.Buffer[T] {
	b, err := gridstride.CopyOf(dev, host)
	check(err)
	return b
}

func axpy[T vec.AxpyT](dev *gridstride.Device) {
	k, err := vec.LoadAxpy[T](dev)
	check(err)
	y, x := copyOf[T](dev, 1, 2, 3, 4, 5), copyOf[T](dev, 10, 20, 30, 40, 50)
	s := dev.Stream()
	check(k.Launch(s, gridstride.Grid(2).Block(32), y, x, 3))
	got, err := y.Read(context.Background(), s, nil)
	check(err)
	fmt.Println(k.Name(), got)
	check(y.Free())
	check(x.Free())
}

func fused[H vec.FusedH](dev *gridstride.Device, of func(float64) H) {
	k, err := vec.LoadFused[H](dev)
	check(err)
	y, x := copyOf(dev, of(1), of(2), of(3)), copyOf(dev, of(0.1), of(20), of(-3))
	s := dev.Stream()
	check(k.Launch(s, gridstride.Grid(2).Block(32), y, x, of(0.5)))
	got, err := y.Read(context.Background(), s, nil)
	check(err)
	fmt.Println(k.Name(), got)
	check(y.Free())
	check(x.Free())
}

func move(dev *gridstride.Device) {
	k, err := vec.LoadMove(dev)
	check(err)
	p := copyOf(dev, shape.Point{X: 1, Y: 2}, shape.Point{X: 3, Y: 4, Mark: 1}, shape.Point{X: 5, Y: 6}, shape.Point{X: 7, Y: 8})
	s := dev.Stream()
	check(k.Launch(s, gridstride.Grid(1), p, shape.Point{X: 10, Y: 20}, 3, true))
	got, err := p.Read(context.Background(), s, nil)
	check(err)
	fmt.Println(k.Name(), k.BlockDim(), got)
	check(p.Free())
}

func reverse[T vec.ReverseT](dev *gridstride.Device, values ...T) {
	k := must(vec.LoadReverse[T](dev))
	a, s := copyOf(dev, values...), dev.Stream()
	check(k.Launch(s, gridstride.Grid(1), a))
	fmt.Println(k.Name(), must(a.Read(context.Background(), s, nil)))
	check(a.Free())
}

// matrix has the fields of vec.MatrixBuffers.
type matrix[T any] struct {
	Data       gridstride.Buffer[T]
	Rows, Cols int
}

func apply[T vec.ApplyT](dev *gridstride.Device) {
	k, err := vec.LoadApply[T](dev)
	check(err)
	x := matrix[T]{copyOf[T](dev, 1, 2, 3, 4), 2, 2}
	y := vec.MatrixBuffers[T]{Data: copyOf[T](dev, 0, 0), Rows: 1, Cols: 2}
	m := vec.MatrixBuffers[T]{Data: copyOf[T](dev, 10, 100), Rows: 1, Cols: 2}
	shift, path := copyOf[T](dev, 1000), vec.PathBuffers{Points: copyOf(dev, shape.Point{X: 5})}
	s := dev.Stream()
	check(k.Launch(s, gridstride.Grid(1).Block(32), y, vec.Affine(m, shift, path), x))
	fmt.Println(must(y.Data.Read(context.Background(), s, nil)))
	check(k.Kernel.Launch(s, gridstride.Grid(1).Block(32), x, vec.Affine(m, shift, path), y))
	fmt.Println(s.Wait(context.Background()))
	check(shift.Free())
	fmt.Println(k.Launch(s, gridstride.Grid(1).Block(32), y, vec.Affine(m, shift, path), x))
	check(errors.Join(x.Data.Free(), y.Data.Free(), m.Data.Free(), path.Points.Free()))
}

func must[T any](x T, err error) T {
	check(err)
	return x
}

// fail launches with an x shorter than y.
func fail(dev *gridstride.Device) {
	k, err := vec.LoadAxpy[int32](dev)
	check(err)
	y, x := copyOf[int32](dev, 1, 2, 3), copyOf[int32](dev, 1)
	s := dev.Stream()
	check(k.Launch(s, gridstride.Grid(1).Block(32), y, x, 1))
	fmt.Println(s.Wait(context.Background()))
	check(y.Free())
	check(x.Free())
}
