package dot_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/dot"
)

// A plan keeps the kernel and its working memory, for many products.
func Example() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	a, err := gridstride.CopyOf(dev, []float32{1, 2, 3, 4, 5})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Free()
	b, err := gridstride.CopyOf(dev, []float32{1, 0, -1, 0, 1})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Free()

	plan, err := dot.NewPlan(dev, dot.Best[float32](), a.Len(), dot.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer plan.Free()
	ctx, s := context.Background(), dev.Stream()
	for n := range 6 {
		sum, err := plan.Dot(ctx, s, a.Slice(0, n), b.Slice(0, n))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(sum, " ")
	}
	_, err = plan.Dot(ctx, s, a, b.Slice(1, 3))
	fmt.Println(err)
	// Output: 0 1 1 -2 -2 3 dot: a has 5 elements and b 2: a dot product takes vectors of one length
}

// The result can stay on the device, for the next kernel there.
func ExamplePlan_Left() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	a, err := gridstride.CopyOf(dev, []float64{3, 4})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Free()
	plan, err := dot.NewPlan(dev, dot.Best[float64](), 2, dot.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer plan.Free()

	s := dev.Stream()
	if err := plan.Launch(s, a, a); err != nil {
		log.Fatal(err)
	}
	result, err := plan.Left().Read(context.Background(), s, nil) // one element: dot.Best finishes on the device
	fmt.Println(result, err)
	// Output: [25] <nil>
}

// The variants are a ladder, from the first thing one writes to the fastest.
func ExampleVariants() {
	for _, v := range dot.Variants[float32]()[:4] {
		fmt.Printf("%-10s %s\n", v.Name, v.About)
	}
	v, err := dot.VariantNamed[float32]("lastwarp")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.CheckBlock(96))
	// Output:
	// products   products on the device, sum on the host
	// single     one thread
	// shared     sums in shared memory, inside the loop
	// divergent  sums in registers; tree in shared memory, every second thread
	// dot: blocks of 96 threads: the variant lastwarp takes a power of two, 64 to 1024
}
