// Words goes from counting words to cosines to tf-idf: the program of the tutorial's eighth
// chapter.
//
//	go run ./docs/tutorial/words counts
//	go run ./docs/tutorial/words tfidf
//	go run ./docs/tutorial/words -like container/heap counts
//	go run ./docs/tutorial/words -like container/heap tfidf
//	go run ./docs/tutorial/words -like container/heap gpu
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/source"
	"github.com/gridstride/gridstride/similar/text"
)

// short are the documents of the chapter's first half.
var short = []similar.Document{
	{ID: "heap", Text: "A heap is a tree. The root of the tree is its smallest node."},
	{ID: "list", Text: "A list is a chain of nodes."},
	{ID: "ring", Text: "A ring is a chain that closes."},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("words", flag.ContinueOnError)
	id := flags.String("like", "", "the packages of Go's standard library that are most like `this one`, instead of three short documents")
	if err := flags.Parse(args); err != nil {
		return err
	}
	what := flags.Arg(0)
	if flags.NArg() != 1 || !slices.Contains([]string{"counts", "tfidf", "gpu"}, what) {
		return errors.New("want one of counts, tfidf and gpu")
	}
	documents := short
	if *id != "" {
		documents = nil
		for d, err := range source.Read(ctx, source.Options{Strict: true}, "go:std") {
			if err != nil {
				return err
			}
			documents = append(documents, d)
		}
	}
	c, err := vectors(documents, what != "counts")
	if err != nil {
		return err
	}
	if *id == "" {
		return c.table(out, what)
	}
	self := slices.IndexFunc(documents, func(d similar.Document) bool { return d.ID == *id })
	if self < 0 {
		return fmt.Errorf("the standard library has no package %q", *id)
	}
	hits := c.like(self, 5)
	if what == "gpu" {
		if hits, err = c.onDevice(ctx, out, self, 5); err != nil {
			return err
		}
	}
	for i, h := range hits {
		fmt.Fprintf(out, "%d. %-20s %.4f\n", i+1, h.id, h.score)
	}
	return nil
}

// vectors counts the terms of documents, and weighs them where asked.
func vectors(documents []similar.Document, weighed bool) (*collection, error) {
	a, err := text.NewAnalyzer(text.Config{})
	if err != nil {
		return nil, err
	}
	c := &collection{documents: documents}
	for _, d := range documents {
		c.vectors = append(c.vectors, count(a, d.Title+"\n"+d.Text))
	}
	if weighed {
		idf := rarity(c.vectors)
		for i, v := range c.vectors {
			c.vectors[i] = weigh(v, idf)
		}
	}
	return c, nil
}

// table prints vectors side by side, and the cosine of each two.
func (c *collection) table(out io.Writer, what string) error {
	if what == "gpu" {
		return errors.New("gpu needs -like")
	}
	terms := vector{}
	for _, v := range c.vectors {
		maps.Copy(terms, v)
	}
	fmt.Fprintf(out, "%-10s", "")
	for _, d := range c.documents {
		fmt.Fprintf(out, "%8s", d.ID)
	}
	fmt.Fprintln(out)
	for _, term := range slices.Sorted(maps.Keys(terms)) {
		fmt.Fprintf(out, "%-10s", term)
		for _, v := range c.vectors {
			fmt.Fprintf(out, "%8.4g", v[term])
		}
		fmt.Fprintln(out)
	}
	for i, x := range c.vectors {
		for j, y := range c.vectors[:i] {
			fmt.Fprintf(out, "cosine of %s and %s: %.4f\n", c.documents[j].ID, c.documents[i].ID, cosine(x, y))
		}
	}
	return nil
}
