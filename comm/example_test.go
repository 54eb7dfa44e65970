package comm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
)

// Two devices add their vectors. The sum has the same bits for any number of devices.
func ExampleAllReduceReproducible() {
	var streams []*gridstride.Stream
	var src, dst []gridstride.Buffer[float32]
	for _, terms := range [][]float32{{1e8, 1, -1e8, 2}, {3, 4}} { // two vectors of two elements, and one
		dev, err := gridstride.Open(gridstride.Use("sim"))
		if err != nil {
			log.Fatal(err)
		}
		defer dev.Close()
		x, err := gridstride.CopyOf(dev, terms)
		if err != nil {
			log.Fatal(err)
		}
		defer x.Free()
		y, err := gridstride.Make[float32](dev, 2)
		if err != nil {
			log.Fatal(err)
		}
		defer y.Free()
		streams, src, dst = append(streams, dev.Stream()), append(src, x), append(dst, y)
	}
	g, err := comm.New(streams...)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	if err := comm.AllReduceReproducible(g, dst, src); err != nil {
		log.Fatal(err)
	}
	fmt.Println(dst[1].Read(context.Background(), g.Stream(1), nil))
	// Output: [3 7] <nil>
}
