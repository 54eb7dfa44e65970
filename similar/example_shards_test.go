package similar_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/gridstride/gridstride/similar"
)

// Two indexes, which may be in two processes, answer as parts of one collection: each has the table of
// both.
func ExampleSearcher_With() {
	ctx := context.Background()
	parts := map[string][]similar.Document{
		"books":  {{ID: "b1", Text: "a heap of books"}, {ID: "b2", Text: "binary trees"}},
		"papers": {{ID: "p1", Text: "heaps and heap sort"}},
	}
	var indexes []*similar.Index
	var tables []*similar.Table
	for _, name := range []string{"books", "papers"} {
		x, err := similar.New(similar.Options{})
		if err != nil {
			log.Fatal(err)
		}
		defer x.Close()
		if err := x.Add(ctx, parts[name]...); err != nil {
			log.Fatal(err)
		}
		table, err := x.Table(ctx)
		if err != nil {
			log.Fatal(err)
		}
		indexes, tables = append(indexes, x), append(tables, table)
	}
	all, err := similar.MergeTables(tables...)
	if err != nil {
		log.Fatal(err)
	}
	var matches []similar.Match
	for _, x := range indexes {
		part, err := x.With(all)
		if err != nil {
			log.Fatal(err)
		}
		list, err := part.Matches(ctx, similar.Query{Text: "heap", K: 10})
		if err != nil {
			log.Fatal(err)
		}
		matches = append(matches, list...)
	}
	slices.SortFunc(matches, func(a, b similar.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	for _, m := range matches {
		fmt.Printf("%s %.3f\n", m.ID, m.Score)
	}
	fmt.Println(all.Collection().Documents, "documents,", all.Frequency("heap"), "with heap")
	// Output:
	// p1 0.625
	// b1 0.495
	// 3 documents, 2 with heap
}
