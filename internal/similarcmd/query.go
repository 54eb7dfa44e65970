package similarcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/snippet"
	"github.com/spf13/cobra"
)

// finder is what query and like have in common: how many documents they want, and how they show
// them.
type finder struct {
	k         int
	terms     int // of documents that others are to be like; see similar.Query
	threshold float64
	collapse  float64
	where     []string
	sort      []string
	order     []similar.Order // of sort
	feedback  feedback
	learn     *similar.Feedback // of feedback
	asJSON    bool
	asked     string // the text of a query
	why       bool
	snippet   bool
}

func (f *finder) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVarP(&f.k, "k", "k", 10, "`number` of documents at most")
	flags.Float64Var(&f.threshold, "threshold", 0, "only documents that `score` more than this")
	flags.Float64Var(&f.collapse, "collapse", 0, "leave out documents that share this `part` of their terms with a better one, such as 0.8 (default none)")
	flags.StringArrayVar(&f.sort, "sort", nil, "sort by the field `NAME`, or -NAME for the highest value first, instead of the score; may be given several times")
	flags.StringArrayVar(&f.where, "where", nil, "only documents whose field has this value: `NAME=VALUE`, or !=, <, <=, > or >= and a number or a date; may be given several times")
	f.feedback.add(cmd)
	flags.BoolVar(&f.asJSON, "json", false, "write a JSON object a line")
	flags.BoolVar(&f.why, "why", false, "show each term's share of the score")
	flags.BoolVar(&f.snippet, "snippet", false, "show the part of the text that has most of the words, in brackets")
}

// check says what is wrong with the flags.
func (f *finder) check() error {
	if f.k < 1 {
		return cli.Usagef("-k %d: want 1 or more", f.k)
	}
	if !(f.collapse >= 0 && f.collapse <= 1) {
		return cli.Usagef("-collapse %v: want 0 to 1", f.collapse)
	}
	if f.threshold < 0 || math.IsNaN(f.threshold) {
		return cli.Usagef("-threshold %v: want a number that is not negative", f.threshold)
	}
	var err error
	if f.learn, err = f.feedback.value(); err != nil {
		return err
	}
	for _, s := range f.sort {
		if strings.HasPrefix(s, "--") {
			s = s[1:] // -sort -NAME: a flag of one dash was given the second
		}
		o, err := similar.ParseOrder(s)
		if err != nil {
			return cli.Usagef("-sort: %w", err)
		}
		f.order = append(f.order, o)
	}
	if len(f.where) > 0 {
		if _, err = similar.ParseConditions(f.where...); err != nil {
			return cli.Usagef("-where: %w", err)
		}
	}
	return nil
}

func newQuery(p *places) *cobra.Command {
	var f finder
	var asWords bool
	cmd := &cobra.Command{
		Use:     "query IDX words…",
		Aliases: []string{"search"},
		Short:   "Find the documents most like some words",
		Long: `Query finds the documents most like some words, the best first: a line each, with the score,
the id and the title. -json writes objects with "rank", "score", "id", "title", "fields", with -why
"shares", and with -snippet "snippet", a list of objects with "text" and "marked".

+word must be there, -word must not, "some words" are a phrase, AND, OR, NOT and brackets join;
docs/query.md has the language. Put such a query in quotes of the shell. -words takes it for words.`,
		Example: "  similar query idx priority queue\n  similar query idx -k 3 -why priority queue\n  similar query idx 'algol -fortran'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return cli.Usagef("query takes an index and words to look for")
			}
			return f.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := p.collection(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer x.Close()
			f.asked = strings.Join(args[1:], " ")
			q, err := textQuery(x.Searcher, f.asked, asWords)
			if err != nil {
				return err
			}
			return f.find(cmd.Context(), cmd.OutOrStdout(), x.Searcher, q)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&asWords, "words", false, "look for the words as they are, without operators")
	return cmd
}

// textQuery asks for what a text says, as a query or as words.
func textQuery(x *similar.Searcher, text string, asWords bool) (similar.Query, error) {
	if asWords {
		return similar.Query{Text: text}, checkTerms(x, text, similar.Document{Text: text})
	}
	c, err := query.Parse(text, query.Options{Field: x.HasField})
	if err != nil {
		return similar.Query{}, cli.Usagef("the query %q: %w; -words takes it for words", text, err)
	}
	if query.HasFields(c) {
		return similar.Query{Clause: c}, nil // which words tell documents apart depends on the field
	}
	words := strings.Join(query.Texts(c), " ")
	return similar.Query{Clause: c}, checkTerms(x, text, similar.Document{Text: words})
}

// checkTerms returns an error where a document that others are compared with has no term.
func checkTerms(x *similar.Searcher, name string, d similar.Document) error {
	for _, text := range append(values(d.Fields), d.Title, d.Text) {
		for _, a := range x.Analyzers() {
			for range a.Terms(text) {
				return nil
			}
		}
	}
	return fmt.Errorf("%q: no word that tells documents apart; these are too frequent", name)
}

// values returns the values of a document's fields.
func values(fields map[string]string) []string { return slices.Collect(maps.Values(fields)) }

// found is a hit as it is written.
type found struct {
	Rank   int               `json:"rank"`
	Score  float64           `json:"score"`
	ID     string            `json:"id"`
	Title  string            `json:"title,omitempty"`
	Fields map[string]string `json:"fields,omitempty"`
	Shares []share           `json:"shares,omitempty"`

	Snippet []snippet.Part `json:"snippet,omitempty"`
}

type share struct {
	Term  string  `json:"term"`
	Score float64 `json:"score"`
	Share float64 `json:"share"` // of the document's score
}

// find asks an index, and writes what it answers.
func (f *finder) find(ctx context.Context, w io.Writer, x *similar.Searcher, q similar.Query) error {
	q.K, q.Terms, q.Threshold, q.Feedback = f.k, f.terms, f.threshold, f.learn
	q.Sort, q.Collapse = f.order, f.collapse
	if len(f.where) > 0 {
		where, err := x.Conditions(f.where...)
		if err != nil {
			return cli.Usagef("-where: %w", err)
		}
		q.Where = where
	}
	hits, err := x.Search(ctx, q)
	if err != nil {
		return err
	}
	for i, hit := range hits {
		d := &hit.Document
		line := found{Rank: i + 1, Score: hit.Score, ID: d.ID, Title: d.Title, Fields: d.Fields}
		if f.why {
			if line.Shares, err = shares(ctx, x, q, hit); err != nil {
				return err
			}
		}
		if f.snippet {
			if line.Snippet, err = snippetOf(ctx, x, q, hit); err != nil {
				return err
			}
		}
		if err := f.write(w, &line); err != nil {
			return err
		}
	}
	if len(hits) == 0 && !f.asJSON {
		if _, err = fmt.Fprintf(w, "none of %s\n", count.Of(x.Len(), "document")); err == nil {
			err = f.suggest(ctx, w, x)
		}
	}
	return err
}

// suggest writes a query with words that documents have, if the one that found nothing has others.
func (f *finder) suggest(ctx context.Context, w io.Writer, x *similar.Searcher) error {
	text, ok, err := x.Suggest(ctx, f.asked)
	if ok {
		_, err = fmt.Fprintf(w, "did you mean: %s\n", text)
	}
	return err
}

// shares says what each term gives to a hit's score.
func shares(ctx context.Context, x *similar.Searcher, q similar.Query, hit similar.Hit) ([]share, error) {
	explained, err := x.Explain(ctx, q, hit.Document.ID)
	var list []share
	for _, s := range explained {
		list = append(list, share{s.Term, s.Score, s.Score / hit.Score})
	}
	return list, err
}

// snippetOf returns the stretch of a hit's text that shows why it was found. In a hit that is like
// other documents, the terms that weigh most are marked.
func snippetOf(ctx context.Context, x *similar.Searcher, q similar.Query, hit similar.Hit) ([]snippet.Part, error) {
	m, err := x.Marker(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(q.Like) > 0 || q.Document != nil || q.Feedback != nil {
		explained, err := x.Explain(ctx, q, hit.Document.ID)
		if err != nil {
			return nil, err
		}
		for _, s := range explained[:min(mostShares, len(explained))] {
			m.Add(s.Term)
		}
	}
	return m.Snippet(hit.Document.Text), nil
}

// mostShares is how many shares a line for people has.
const mostShares = 8

func (f *finder) write(w io.Writer, line *found) error {
	if f.asJSON {
		return json.NewEncoder(w).Encode(line)
	}
	text := fmt.Sprintf("%3d  %8.4f  %s", line.Rank, line.Score, line.ID)
	if line.Title != "" && line.Title != line.ID {
		text += "  " + strings.Join(strings.Fields(line.Title), " ")
	}
	if len(line.Shares) > 0 {
		text += "\n              "
		for _, s := range line.Shares[:min(mostShares, len(line.Shares))] {
			text += fmt.Sprintf(" %s %.0f%%", s.Term, 100*s.Share)
		}
		if more := len(line.Shares) - mostShares; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	if len(line.Snippet) > 0 {
		text += "\n               " + oneLine(line.Snippet)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// oneLine writes a snippet without line breaks, marked words in brackets.
func oneLine(list []snippet.Part) string {
	var b strings.Builder
	for _, p := range list {
		if p.Marked {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
