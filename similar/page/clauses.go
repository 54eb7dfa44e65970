package page

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar/query"
)

// The words of a request are a query in the language of package query. syntax=words takes them as
// they are. A page that cannot read a query looks for its words, and says what is wrong; the API
// answers with the error.

// syntaxWords is the value of syntax that takes a query for words.
const syntaxWords = "words"

// parse reads the query of a request, of an index whose documents may have certain fields.
func (r *request) parse(field func(name string) bool) error {
	switch r.Syntax {
	case "":
	case syntaxWords:
		return nil
	default:
		return badRequest("syntax %q; want %s, or none for the query language", r.Syntax, syntaxWords)
	}
	c, err := query.Parse(r.Q, query.Options{Field: field})
	if _, ok := c.(query.Words); err == nil && !ok {
		r.read, r.operators = c.String(), operators(c)
	}
	if r.Typing != "" {
		c, err = query.Parse(r.Q, query.Options{Typing: true, Field: field})
	}
	if r.wrong, _ = errors.AsType[*query.Error](err); err != nil {
		return nil
	}
	if _, ok := c.(query.Words); !ok {
		r.clause = c
	}
	return nil
}

// misread is the error of a query that cannot be read.
func (r *request) misread() error {
	if r.wrong == nil {
		return nil
	}
	return badRequest("q: %w; see docs/query.md, or ask with syntax=%s for the words as they are", r.wrong, syntaxWords)
}

// met is the text whose words answers are marked by: without what is left out.
func (r *request) met() string {
	if r.clause == nil {
		return r.Q
	}
	return strings.Join(query.Texts(r.clause), " ")
}

// suggest returns a query with words that documents have, if the one of a request has others. While
// one types, every word has others first.
func (h *Handler) suggest(ctx context.Context, r *request) (string, error) {
	if !r.suggests() {
		return "", nil
	}
	return r.docs.suggest(ctx, r)
}

// suggests reports whether the words of a request may be corrected.
func (r *request) suggests() bool { return r.Typing == "" && r.Q != "" && len(r.Q) <= suggestBytes }

// suggestBytes is how long a query is at most whose words are corrected.
const suggestBytes = 256

// Asking asks another text.
func (r request) Asking(text string) request {
	r.Q, r.Typing, r.From = text, "", 0
	return r
}

// Wrong says why a query could not be read, or nothing.
func (r *request) Wrong() string {
	if r.wrong == nil {
		return ""
	}
	return r.wrong.Error()
}

// Read is how a query with operators was read, or nothing.
func (r *request) Read() string {
	return r.read
}

// AsWords asks for the words of a query as they are.
func (r request) AsWords() request {
	r.Syntax, r.clause, r.wrong, r.read, r.operators, r.From = syntaxWords, nil, nil, "", nil, 0
	return r
}

// AsQuery asks the same in the query language.
func (r request) AsQuery() request {
	r.Syntax, r.From = "", 0
	return r
}

// An operator is a clause of a query that is more than words, and the query without it.
type operator struct {
	Occur query.Occur
	Text  string // in the query language, without a sign
	Rest  string
}

// Said returns the page's name for the operator.
func (o operator) Said() string {
	switch o.Occur {
	case query.Required:
		return "with"
	case query.Excluded:
		return "without"
	}
	return "also"
}

// operators returns the clauses of a query that are more than words. A query of one such clause has
// itself.
func operators(c query.Clause) []operator {
	g, ok := c.(query.Group)
	if !ok {
		return []operator{{query.Required, c.String(), ""}}
	}
	var list []operator
	for i, item := range g {
		if _, words := item.Clause.(query.Words); words && item.Occur == query.Optional {
			continue
		}
		rest := ""
		if others := slices.Delete(slices.Clone(g), i, i+1); len(others) > 0 {
			rest = others.String()
		}
		list = append(list, operator{item.Occur, item.Clause.String(), rest})
	}
	return list
}

// Operators are the operators of the request's query.
func (r *request) Operators() []operator { return r.operators }
