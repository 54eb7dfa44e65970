package gpumetric_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/metric/gpumetric"
)

func Example() {
	if err := example(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: 5
}

func example(ctx context.Context) error {
	dev, err := gridstride.Open(gridstride.Use("sim"))
	if err != nil {
		return err
	}
	defer dev.Close()
	prediction, err1 := gridstride.CopyOf(dev, []float32{1, 2, 3, 4})
	target, err2 := gridstride.CopyOf(dev, []float32{1, 0, 3, 8})
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	h, err := gpumetric.New(dev.Stream())
	if err != nil {
		return err
	}
	defer h.Close()
	loss, err := gpumetric.Between(ctx, h, gpumetric.MSE, gpublas.VectorOf(prediction), gpublas.VectorOf(target))
	if err != nil {
		return err
	}
	fmt.Println(loss)
	return errors.Join(prediction.Free(), target.Free())
}
