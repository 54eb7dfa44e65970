package main

import (
	"context"
	"strings"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
)

// ours is package similar.
type ours struct {
	x *similar.Index
}

func (o *ours) index(file, dir string, threads, megabytes int) error {
	cores(threads)
	options := similar.Options{Positions: true, Memory: int64(megabytes) << 20}
	for _, f := range flags {
		options.Fields = append(options.Fields, similar.Field{Name: f.name})
	}
	x, err := similar.New(options)
	if err != nil {
		return err
	}
	defer x.Close()
	ctx := context.Background()
	err = readDocuments(file, func(docs []document) error {
		list := make([]similar.Document, len(docs))
		for i, d := range docs {
			list[i] = similar.Document{ID: d.id, Text: d.text, Fields: similar.Fields{}}
			for _, f := range d.flags {
				list[i].Fields[f] = "yes"
			}
		}
		return x.Add(ctx, list...)
	})
	if err != nil {
		return err
	}
	return x.Save(ctx, dir)
}

func (o *ours) merge(dir string) error {
	cores(1)
	ctx := context.Background()
	x, err := similar.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.Compact(ctx); err != nil {
		return err
	}
	return x.Save(ctx, dir)
}

func (o *ours) open(dir string) (err error) {
	cores(1)
	o.x, err = similar.Open(context.Background(), dir)
	return err
}

func (o *ours) query(kind, text string) ([]string, error) {
	q := similar.Query{}
	switch kind {
	case "words":
		q.Text = text
	case "and":
		group := query.Group{}
		for _, word := range strings.Fields(text) {
			group = append(group, query.Item{Occur: query.Required, Clause: query.Words{Text: word}})
		}
		q.Clause = group
	case "phrase":
		q.Clause = query.Phrase{Text: text}
	case "prefix":
		q.Clause = query.Prefix{Text: text}
	case "like":
		q.Document = &similar.Document{Text: text}
	default:
		q.Text, q.Where = text, similar.Is(kind, "yes")
	}
	hits, err := o.x.Search(context.Background(), q)
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.Document.ID
	}
	return ids, err
}
