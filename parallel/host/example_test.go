package host_test

import (
	"fmt"

	"github.com/gridstride/gridstride/parallel/host"
)

// Order is a record.
type Order struct {
	Customer uint32
	Price    float32
}

func Example() {
	orders := []Order{{7, 2.5}, {3, 10}, {7, 1}, {5, 4}, {3, 8}}
	price := func(o Order) float64 { return float64(o.Price) }
	add := func(a, b float64) float64 { return a + b }

	host.SortBy(orders, func(a, b Order) bool { return a.Customer < b.Customer })
	fmt.Println(orders)
	fmt.Println(host.TransformReduce(orders, price, 0, add))

	dear := make([]Order, len(orders))
	n, err := host.Select(dear, orders, func(o Order) bool { return o.Price > 3 })
	fmt.Println(dear[:n], err)

	prices, offsets, sums := []float32{10, 8, 4, 2.5, 1}, []int{0, 2, 3, 5}, make([]float32, 2)
	err = host.ReduceSegments(sums, prices, offsets, 0, func(a, b float32) float32 { return a + b })
	fmt.Println(err)
	// Output:
	// [{3 10} {3 8} {5 4} {7 2.5} {7 1}]
	// 25.5
	// [{3 10} {3 8} {5 4}] <nil>
	// host: ReduceSegments: dst has 2 elements; want 3
}
