package similar_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

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

// A Marker shows where the texts of hits have the words of the query.
func ExampleIndex_Marker() {
	ctx := context.Background()
	x, err := similar.New(similar.Options{})
	if err != nil {
		panic(err)
	}
	if err := x.Add(ctx, similar.Document{ID: "heap", Text: "A heap serves as a priority queue."}); err != nil {
		panic(err)
	}
	q := similar.Query{Text: "queues"}
	hits, err := x.Search(ctx, q)
	if err != nil {
		panic(err)
	}
	m, err := x.Marker(ctx, q)
	if err != nil {
		panic(err)
	}
	for _, part := range m.Snippet(hits[0].Document.Text) {
		fmt.Printf("%q %t\n", part.Text, part.Marked)
	}
	// Output:
	// "A heap serves as a priority " false
	// "queue" true
	// "." false
}

// TestLongDocument adds a document that is longer than one may be: none of the call is added.
func TestLongDocument(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	fields, part := map[string]string{}, strings.Repeat("word ", 8<<20)
	for i := range 26 { // a gigabyte, and some more
		fields[fmt.Sprint(i)] = part
	}
	long := similar.Document{ID: "long", Fields: fields}
	err = x.Add(ctx, similar.Document{ID: "a", Text: "first"}, long)
	if err == nil || !strings.Contains(err.Error(), `document "long" has 1090519040 bytes of text, and at most 1073741824 are possible`) || x.Len() != 0 {
		t.Errorf("%d documents, %v", x.Len(), err)
	}
	word := similar.Document{ID: "word", Text: strings.Repeat("a", 10<<20)}
	if err := x.Add(ctx, word, similar.Document{ID: "b", Text: "second"}); err != nil || x.Len() != 2 {
		t.Fatalf("a document of one long word: %d documents, %v", x.Len(), err)
	}
	if hits, err := x.Search(ctx, similar.Query{Document: &word}); err != nil || len(hits) != 1 || hits[0].Document.ID != "word" {
		t.Errorf("like the long word: %d hits, %v", len(hits), err)
	}
}
