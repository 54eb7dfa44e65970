package spread_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/blas/gpublas/spread"
	"github.com/gridstride/gridstride/comm"
)

// The first two elements of a vector are on one device, and the third is on another.
func Example() {
	ctx := context.Background()
	var streams []*gridstride.Stream
	var x []gpublas.Vector[float64]
	for _, part := range [][]float64{{1, 2}, {2}} {
		dev, err := gridstride.Open(gridstride.Use("sim")) // or cuda:0, cuda:1
		if err != nil {
			log.Fatal(err)
		}
		defer dev.Close()
		data, err := gridstride.CopyOf(dev, part)
		if err != nil {
			log.Fatal(err)
		}
		defer data.Free()
		streams, x = append(streams, dev.Stream()), append(x, gpublas.VectorOf(data))
	}
	g, err := comm.New(streams...)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	h, err := spread.New(g)
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	norm, err := spread.Nrm2(ctx, h, x)
	fmt.Println(norm, err)
	product, err := spread.DotReproducible(ctx, h, x, x)
	fmt.Println(product, err)
	// Output:
	// 3 <nil>
	// 9 <nil>
}
