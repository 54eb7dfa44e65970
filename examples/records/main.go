// Records sorts records by a key on the device, and adds up a field of those that are dear: the
// algorithms of package parallel, for a type that it does not know.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/parallel"
)

// Order is a record.
type Order struct {
	Customer uint32
	Price    float32
}

// byCustomer is the order of sorting. Less runs on the device.
type byCustomer struct{}

func (byCustomer) Less(a, b Order) bool { return a.Customer < b.Customer }

// priceOver is the price of an order that costs more than Least, else 0.
type priceOver struct{ Least float32 }

func (p priceOver) Apply(o Order) float64 {
	if o.Price > p.Least {
		return float64(o.Price)
	}
	return 0
}

// gridstride build compiles these instances into this package.
//
//gpu:instance parallel.SortBy[Order,byCustomer]
//gpu:instance parallel.TransformReduce[Order,float64,priceOver,parallel.Plus[float64]]

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	dev, err := gridstride.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	w, err := parallel.New(dev.Stream())
	if err != nil {
		return err
	}
	defer w.Close()
	orders, err := gridstride.CopyOf(dev, []Order{{7, 2.5}, {3, 10}, {7, 1}, {5, 4}, {3, 8}})
	if err != nil {
		return err
	}
	defer orders.Free()

	if err := parallel.SortBy(w, orders, byCustomer{}); err != nil {
		return err
	}
	dear, err := parallel.TransformReduce(ctx, w, orders, priceOver{Least: 3}, parallel.Plus[float64]{})
	if err != nil {
		return err
	}
	sorted, err := orders.Read(ctx, dev.Stream(), nil)
	fmt.Println(sorted, dear)
	return err
}
