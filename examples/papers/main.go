// Papers indexes the documentation of Go's standard library, which is on every machine that has Go,
// and prints the packages most like one, with the words that make them so.
//
//	go run ./examples/papers                         those most like container/heap
//	go run ./examples/papers -like net/url -k 3
//	go run ./examples/papers -serve                  the page, to search and to walk about
//
// A package is a vector with an element for every word of the library, weighed by tf-idf, and two
// packages are alike as far as the cosine of their vectors, a dot product, says.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/page"
	"github.com/gridstride/gridstride/similar/source"
	"github.com/gridstride/gridstride/similar/text"
	"github.com/gridstride/gridstride/similar/weight"
)

func main() {
	like := flag.String("like", "container/heap", "the `package` that others are compared with")
	k := flag.Int("k", 5, "how many packages to print, at least 1")
	serve := flag.Bool("serve", false, "serve the page")
	address := flag.String("listen", "localhost:8080", "`address` of the page")
	flag.Parse()
	if *k < 1 {
		log.Fatalf("-k is %d: print at least 1 package", *k)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	x, err := library(ctx)
	if err == nil && *serve {
		err = show(ctx, x, *address)
	} else if err == nil {
		err = suggest(ctx, os.Stdout, x, *like, *k)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// library indexes the standard library. Words are not stemmed: names in programs are no English.
func library(ctx context.Context) (*similar.Index, error) {
	tfidf, err := weight.Parse("ltc.ltc")
	if err != nil {
		return nil, err
	}
	x, err := similar.New(similar.Options{Text: text.Config{NoStem: true}, Weight: tfidf})
	if err != nil {
		return nil, err
	}
	var docs []similar.Document
	for d, err := range source.GoPackages(ctx, source.Options{Strict: true}, ".", "std") {
		if err != nil {
			return nil, errors.Join(err, x.Close())
		}
		docs = append(docs, d)
	}
	return x, x.Add(ctx, docs...)
}

// suggest prints the k packages most like one.
func suggest(ctx context.Context, w io.Writer, x *similar.Index, like string, k int) error {
	q := similar.Query{Like: []string{like}, Terms: -1, K: k}
	hits, err := x.Search(ctx, q)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "most like %s, of %d packages:\n", like, x.Len())
	for i, hit := range hits {
		shares, err := x.Explain(ctx, q, hit.Document.ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%2d  %.3f  %-16s %s\n", i+1, hit.Score, hit.Document.ID, strings.Join(words(shares, 5), " "))
	}
	return nil
}

// words are the n terms that give most, but for those of one or two letters, which are the names of
// parameters mostly.
func words(shares []similar.Share, n int) []string {
	var list []string
	for _, s := range shares {
		if len(s.Term) > 2 {
			list = append(list, s.Term)
		}
	}
	return list[:min(n, len(list))]
}

// show serves the page until the context ends.
func show(ctx context.Context, x *similar.Index, address string) error {
	h, err := page.New(x.Searcher, page.Options{Name: "Go packages"})
	if err != nil {
		return err
	}
	return page.Serve(ctx, address, h, func(url string) {
		fmt.Printf("%d packages at %s\n", x.Len(), url)
	})
}
