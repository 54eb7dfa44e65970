package spread_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/parallel/spread"
)

// The first two keys are on one device, and the third is on another.
func Example() {
	ctx := context.Background()
	var streams []*gridstride.Stream
	var keys []gridstride.Buffer[int32]
	for _, part := range [][]int32{{7, 5}, {6}} {
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
		streams, keys = append(streams, dev.Stream()), append(keys, data)
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
	fmt.Println(spread.Sum(ctx, h, keys))
	if err := spread.Sort(ctx, h, keys); err != nil {
		log.Fatal(err)
	}
	for rank, part := range keys {
		fmt.Println(part.Read(ctx, streams[rank], nil))
	}
	// Output:
	// 18 <nil>
	// [5 6] <nil>
	// [7] <nil>
}
