// The program launches the kernels of package vec and prints what they computed.
package main

import (
	"context"
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
