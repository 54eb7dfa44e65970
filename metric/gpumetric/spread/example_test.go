package spread_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/metric/gpumetric"
	"github.com/gridstride/gridstride/metric/gpumetric/spread"
)

// The first two predictions are on one device, and the third is on another.
func Example() {
	ctx := context.Background()
	parts := [2][2][]float32{{{1, 2}, {3}}, {{1, 2}, {6}}}
	var streams []*gridstride.Stream
	var x, y []gpublas.Vector[float32]
	for rank := range 2 {
		dev, err := gridstride.Open(gridstride.Use("sim")) // or cuda:0, cuda:1
		if err != nil {
			log.Fatal(err)
		}
		defer dev.Close()
		prediction, err := gridstride.CopyOf(dev, parts[0][rank])
		if err != nil {
			log.Fatal(err)
		}
		defer prediction.Free()
		target, err := gridstride.CopyOf(dev, parts[1][rank])
		if err != nil {
			log.Fatal(err)
		}
		defer target.Free()
		streams, x, y = append(streams, dev.Stream()), append(x, gpublas.VectorOf(prediction)), append(y, gpublas.VectorOf(target))
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
	fmt.Println(spread.Between(ctx, h, gpumetric.MSE, x, y))
	// Output: 3 <nil>
}
