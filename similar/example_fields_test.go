package similar_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
)

func ExampleReadFields() {
	fields, err := similar.ReadFields(strings.NewReader(`{
		"title": 3,
		"place": {"type": "keyword"},
		"pages": {"type": "number"},
		"sent": {"type": "date"},
		"url": {"type": "stored"}
	}`))
	if err != nil {
		log.Fatal(err)
	}
	x, err := similar.New(similar.Options{Fields: fields})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	ctx := context.Background()
	err = x.Add(ctx,
		similar.Document{ID: "heap", Text: "A heap", Fields: similar.Fields{"place": "New York; Boston", "pages": "9", "sent": "1969-07-20"}},
		similar.Document{ID: "list", Text: "A list", Fields: similar.Fields{"place": "York", "pages": "10", "sent": "1970"}},
	)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{`place:"New York"`, `place:York`, `pages:<10`, `sent:1969`} {
		c, err := query.Parse(text, query.Options{Field: x.HasField})
		if err != nil {
			log.Fatal(err)
		}
		hits, err := x.Search(ctx, similar.Query{Clause: c})
		if err != nil {
			log.Fatal(err)
		}
		for _, hit := range hits {
			fmt.Println(text, "finds", hit.Document.ID)
		}
	}
	fmt.Println(x.Add(ctx, similar.Document{ID: "tree", Fields: similar.Fields{"pages": "many"}}))
	// Output:
	// place:"New York" finds heap
	// place:York finds list
	// pages:<10 finds heap
	// sent:1969 finds heap
	// similar: document "tree": the field pages is "many"; the schema wants a number, such as 12 or -0.5
}
