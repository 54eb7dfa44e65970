package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/client"
	"github.com/gridstride/gridstride/similar/page"
)

func ExampleClient_Search() {
	address, stop := papers() // such as http://localhost:8080
	defer stop()

	c, err := client.New(address, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := c.Search(context.Background(), client.Query{Words: "priority queue", K: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range answer.Hits {
		fmt.Println(hit.Rank, hit.ID, hit.Title)
	}
	// Output:
	// 1 heap A heap
	// 2 list A list
}

// papers serves an index in memory.
func papers() (address string, stop func()) {
	x, err := similar.New(similar.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := x.Add(context.Background(), library[:2]...); err != nil {
		log.Fatal(err)
	}
	h, err := page.New(x.Searcher, page.Options{})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(h)
	return server.URL, func() { server.Close(); x.Close() }
}
