package reduce_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/reduce"
)

// A plan keeps the kernels and their working memory, for many reductions.
func Example() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := gridstride.CopyOf(dev, []float32{2, -3, 7, -3, 1})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Free()

	plan, err := reduce.NewPlan[float32](dev)
	if err != nil {
		log.Fatal(err)
	}
	defer plan.Free()
	ctx, s := context.Background(), dev.Stream()
	for _, compute := range []func(context.Context, *gridstride.Stream, gridstride.Buffer[float32]) (float32, error){
		plan.Sum, plan.SumSquares, plan.Min, plan.Max,
	} {
		result, err := compute(ctx, s, x)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(result, " ")
	}
	at, err := plan.ArgMin(ctx, s, x) // the first of equal elements
	fmt.Println(at, err)
	_, err = plan.Max(ctx, s, x.Slice(2, 2))
	fmt.Println(err)
	// Output:
	// 4 72 -3 7 1 <nil>
	// reduce: max: the vector has no elements
}

func ExampleArgMax() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := gridstride.CopyOf(dev, []int64{4, 9, -2, 9})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Free()
	fmt.Println(reduce.ArgMax(context.Background(), dev.Stream(), x))
	// Output: 1 <nil>
}
