package matmul_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/matmul"
)

// A 2x3 matrix times a 3x2 one, row after row in memory.
func Example() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	data, err := gridstride.CopyOf(dev, []float32{
		1, 2, 3, // A
		4, 5, 6,

		1, 0, // B
		0, 1,
		1, 1,

		0, 0, // C
		0, 0,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer data.Free()
	a := matmul.Matrix[float32]{Rows: 2, Cols: 3, Data: data.Slice(0, 6)}
	b := matmul.Matrix[float32]{Rows: 3, Cols: 2, Data: data.Slice(6, 12)}
	c := matmul.Matrix[float32]{Rows: 2, Cols: 2, Data: data.Slice(12, 16)}

	plan, err := matmul.NewPlan(dev, matmul.Best[float32]())
	if err != nil {
		log.Fatal(err)
	}
	s := dev.Stream()
	if err := plan.Launch(s, a, b, c); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Data.Read(context.Background(), s, nil))
	fmt.Println(plan.Launch(s, b, b, c))
	// Output:
	// [4 5 10 11] <nil>
	// matmul: A is 3x2 and B 3x2: B must have as many rows as A has columns
}

// The shape of a block is a choice: blocks of 64 columns and 4 rows of C, and one that no device
// runs.
func ExampleNaiveBlock() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	for _, block := range [][2]int{{64, 4}, {64, 32}} {
		_, err := matmul.NewPlan(dev, matmul.NaiveBlock[float64](block[0], block[1]))
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// matmul: blocks of 64x32 threads: the device allows 1024x1024, and 1024 in all
}
