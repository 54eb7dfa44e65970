package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gridstride/gridstride"
)

// Dot takes vectors of every type that its kernel is compiled for.
func ExampleDot() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	single, _, err := Dot(context.Background(), dev, 2, []float32{1, 2, 3}, []float32{4, 5, 6})
	if err != nil {
		log.Fatal(err)
	}
	double, _, err := Dot(context.Background(), dev, 2, []float64{1, 2, 3}, []float64{0.5, 0.25, 0.125})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(single, double)
	// Output: 32 1.375
}
