package parallel_test

import (
	"context"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel"
)

func Example() {
	ctx := context.Background()
	dev, err := gridstride.Open()
	check(err)
	defer dev.Close()
	x, err := gridstride.CopyOf(dev, []float32{3, 1, 2, 0.5})
	check(err)

	w, err := parallel.New(dev.Stream())
	check(err)
	defer w.Close()
	sum, err := parallel.Sum(ctx, w, x)
	check(err)
	check(parallel.Sort(w, x))
	check(parallel.InclusiveSum(w, x, x))
	sums, err := x.Read(ctx, dev.Stream(), nil)
	fmt.Println(sum, sums, err)
	// Output: 6.5 [0.5 1.5 3.5 6.5] <nil>
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
