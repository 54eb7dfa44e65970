package main

import (
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	search "github.com/blevesearch/bleve/v2/search/query"
)

// bleves is bleve with its present kind of index.
type bleves struct {
	x bleve.Index
}

// documentMapping has bleve's analyzer of English, positions and the text, and flags as keywords.
func documentMapping() mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	m.DefaultMapping.Dynamic = false
	m.ScoringModel = "bm25"
	text := bleve.NewTextFieldMapping()
	text.Analyzer, text.DocValues, text.IncludeInAll = en.AnalyzerName, false, false
	m.DefaultMapping.AddFieldMappingsAt("text", text)
	flag := bleve.NewTextFieldMapping()
	flag.Analyzer, flag.Store, flag.DocValues, flag.IncludeTermVectors, flag.IncludeInAll = keyword.Name, false, false, false, false
	for _, f := range flags {
		m.DefaultMapping.AddFieldMappingsAt(f.name, flag)
	}
	return m
}

// index has bleve use what memory it likes: it has no setting for it.
func (b *bleves) index(file, dir string, threads, _ int) error {
	cores(threads)
	x, err := bleve.NewUsing(dir, documentMapping(), scorch.Name, scorch.Name, nil)
	if err != nil {
		return err
	}
	err = readDocuments(file, func(docs []document) error {
		list := x.NewBatch()
		for _, d := range docs {
			members := map[string]any{"text": d.text}
			for _, f := range d.flags {
				members[f] = "yes"
			}
			if err := list.Index(d.id, members); err != nil {
				return err
			}
		}
		return x.Batch(list)
	})
	if err != nil {
		return err
	}
	return x.Close()
}

// merge leaves the index as it is: bleve merges by itself.
func (b *bleves) merge(string) error { return nil }

func (b *bleves) open(dir string) (err error) {
	cores(1)
	b.x, err = bleve.OpenUsing(dir, map[string]any{"read_only": true})
	return err
}

func (b *bleves) query(kind, text string) ([]string, error) {
	q, err := bleveQuery(kind, text)
	if err != nil {
		return nil, err
	}
	request := bleve.NewSearchRequest(q)
	request.Fields = []string{"text"}
	result, err := b.x.Search(request)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, hit := range result.Hits {
		ids = append(ids, hit.ID)
	}
	return ids, nil
}

func bleveQuery(kind, text string) (search.Query, error) {
	words := bleve.NewMatchQuery(text)
	words.SetField("text")
	switch kind {
	case "words":
		return words, nil
	case "and":
		words.SetOperator(search.MatchQueryOperatorAnd)
		return words, nil
	case "phrase":
		q := bleve.NewMatchPhraseQuery(text)
		q.SetField("text")
		return q, nil
	case "prefix":
		q := bleve.NewPrefixQuery(text)
		q.SetField("text")
		return q, nil
	case "like":
		return nil, fmt.Errorf("bleve has no query for documents like a text")
	}
	flagged := bleve.NewTermQuery("yes")
	flagged.SetField(kind)
	flagged.SetBoost(0)
	return bleve.NewConjunctionQuery(words, flagged), nil
}
