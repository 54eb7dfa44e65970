package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/gridstride/gridstride/similar/page"
)

// All is the Query.Terms of all terms.
const All = -1

// A Query says which documents to look for. A zero member is not sent. A server refuses a member that
// a method has no use for: see the table in docs/similar.md.
type Query struct {
	Words     string   // words, or a query in the language of docs/query.md
	Plain     bool     // takes Words for words, whatever they are
	Like      []string // ids of documents: others like them
	Terms     int      // how many of the terms that weigh most count, of documents and of a text; All of them
	Good      []string // ids of documents that were good answers
	Where     []string // conditions, such as "year>=1969", which must all hold
	Sort      []string // names of fields to sort by, "-" before one for the highest value first
	K         int      // how many documents at most; 10 where 0
	From      int      // how many of the best to leave out
	Threshold float64  // the score that all must have more than
	Collapse  float64  // leaves out documents that share this part of their terms with a better one
}

// values returns the parameters of a query, and others, a name and a value each.
func (q Query) values(others ...string) url.Values {
	v := url.Values{}
	set := func(name, value string) {
		if value != "" {
			v.Add(name, value)
		}
	}
	number := func(name string, n int) {
		if n != 0 {
			v.Set(name, strconv.Itoa(n))
		}
	}
	set("q", q.Words)
	if q.Plain {
		set("syntax", "words")
	}
	if q.Terms == All {
		set("terms", "all")
	} else {
		number("terms", q.Terms)
	}
	number("k", q.K)
	number("from", q.From)
	for name, x := range map[string]float64{"threshold": q.Threshold, "collapse": q.Collapse} {
		if x != 0 {
			set(name, strconv.FormatFloat(x, 'g', -1, 64))
		}
	}
	for name, list := range map[string][]string{"like": q.Like, "good": q.Good, "where": q.Where, "sort": q.Sort} {
		for _, s := range list {
			v.Add(name, s)
		}
	}
	for i := 0; i < len(others); i += 2 {
		v.Add(others[i], others[i+1])
	}
	return v
}

// Search returns the documents most like a query, the best first. Where Answer.More is true there are
// more: ask again with From.
func (c *Client) Search(ctx context.Context, q Query) (*page.Answer, error) {
	return do[page.Answer](ctx, c, http.MethodGet, "/api/search", q.values(), "", nil)
}

// Like returns the documents most like a text, such as a ticket, of 256 kB at most. Words, Plain and
// Good are not used.
func (c *Client) Like(ctx context.Context, title, text string, q Query) (*page.Answer, error) {
	body, err := json.Marshal(page.Pasted{Title: title, Text: text})
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	q.Words, q.Plain, q.Good = "", false, nil
	return do[page.Answer](ctx, c, http.MethodPost, "/api/like", q.values(), "application/json", body)
}

// Counts returns how many of all documents that a query finds have each value of some fields, the K
// most frequent first.
func (c *Client) Counts(ctx context.Context, q Query, fields ...string) (*page.Counts, error) {
	v := q.values()
	v["field"] = fields
	return do[page.Counts](ctx, c, http.MethodGet, "/api/facets", v, "", nil)
}

// Why returns what each term gives to a document's score, the largest share first.
func (c *Client) Why(ctx context.Context, id string, q Query) (*page.Why, error) {
	return do[page.Why](ctx, c, http.MethodGet, "/api/why", q.values("id", id), "", nil)
}
