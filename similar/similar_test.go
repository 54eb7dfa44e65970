package similar_test

import (
	"context"
	"fmt"

	"github.com/gridstride/gridstride/similar"
)

func ExampleIndex_Search() {
	x, err := similar.New(similar.Options{})
	if err != nil {
		panic(err)
	}
	err = x.Add(context.Background(), similar.Document{ID: "heap", Text: "A heap is a tree whose root is the smallest of its nodes. It serves as a priority queue."},
		similar.Document{ID: "list", Text: "A list is a chain of nodes."}, similar.Document{ID: "ring", Text: "A ring is a circular chain."})
	if err != nil {
		panic(err)
	}
	hits, err := x.Search(context.Background(), similar.Query{Text: "priority queues"})
	if err != nil {
		panic(err)
	}
	for _, h := range hits {
		fmt.Println(h.Document.ID)
	}
	// Output: heap
}
