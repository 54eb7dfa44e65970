package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/snippet"
)

// pageHits is the default number of documents on a page of answers.
const pageHits = 10

// A view is the data of a template.
type view struct {
	Name      string
	Base      string // what addresses begin with
	Front     bool   // whether it is of all indexes of a site
	Indexes   []IndexHealth
	Documents int
	Missing   []int // shards whose documents have no part in the page
	Request   *request
	Error     string // what to say instead of an answer

	Answer *Answer
	Pasted string // the text that others are to be like
	Liked  []similar.Document
	Good   []similar.Document
	NoWord bool // whether the query has no word that could be met

	Overview *Overview // of a request that asks for nothing
	Facets   []Facet
	Counted  int // answers whose fields were counted

	Document *Text
	Heading  []snippet.Part
	Body     []snippet.Part
	Fields   []Field

	Why     *Why
	Subject similar.Document // that Why is about
	Map     *Map
	Drawing *Drawing
	Arcs    *Arcs
	Trail   []similar.Document

	Endpoints  []Endpoint
	Parameters []Parameter
}

// html answers with a page that a template makes.
func (h *Handler) html(name string, c cost, fill func(context.Context, *view) error) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		v := &view{Name: h.options.Name, Base: h.base, Request: &request{Q: snippet.Head(req.URL.Query().Get("q"), h.options.MaxQuery)}}
		if h.docs == nil {
			v.Front = true
		} else {
			v.Documents = h.docs.documents()
		}
		code, shown := http.StatusOK, name
		err := h.fill(req, v, c, fill)
		if err != nil {
			code, v.Error = status(err), sentence(err)
			if name != "results" {
				shown = "error"
			}
		}
		var b body
		made := h.templates.ExecuteTemplate(&b, shown, v)
		if errors.Is(made, errLarge) {
			b.Reset()
			code, v.Error = status(errLarge), sentence(errLarge)
			made = h.templates.ExecuteTemplate(&b, "error", v)
		}
		if made != nil {
			panic(fmt.Sprintf("BUG: template %s: %v", shown, made))
		}
		text := b.Bytes()
		if !utf8.Valid(text) {
			text = bytes.ToValidUTF8(text, []byte("\ufffd"))
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		h.send(w, code, text, retryAfter(err))
	}
}

func (h *Handler) fill(req *http.Request, v *view, c cost, fill func(context.Context, *view) error) error {
	list, err := parameters(req)
	if err != nil {
		return err
	}
	ctx, cancel := h.until(req)
	defer cancel()
	if h.docs == nil {
		return fill(ctx, v)
	}
	blank := *v
	return h.answering(ctx, func(docs answerer) error {
		*v = blank
		r, err := h.read(ctx, docs, list)
		if err != nil {
			return err
		}
		v.Request = r
		leave, err := h.enter(ctx, r.most(c))
		if err != nil {
			return err
		}
		defer leave()
		err = fill(ctx, v)
		v.Documents, v.Missing = docs.documents(), docs.missing()
		return err
	})
}

// sentence is an error as a page says it.
func sentence(err error) string {
	return "That did not work: " + strings.TrimPrefix(err.Error(), "similar: ") + "."
}

func (h *Handler) searchPage(ctx context.Context, v *view) (err error) {
	if v.Liked, err = named(ctx, v.Request.docs, v.Request.Like); err != nil {
		return err
	}
	if v.Good, err = named(ctx, v.Request.docs, v.Request.Good); err != nil {
		return err
	}
	v.NoWord = v.Request.Q != "" && !query.HasFields(v.Request.clause) && !v.Request.anyWord(v.Request.met())
	if !v.Request.Asks() {
		if v.Overview, err = v.Request.docs.overview(ctx); err == nil {
			v.Facets = v.Overview.Facets
		}
		return err
	}
	if v.Answer, err = h.search(ctx, v.Request); err != nil {
		return err
	}
	best := v.Answer.best
	v.Counted = len(best)
	v.Facets, err = h.facets(ctx, v.Request, best)
	return err
}

// anyWord reports whether a text has a word that tells documents apart, in any language of the index.
func (r *request) anyWord(s string) bool {
	for _, a := range r.docs.language().Analyzers() {
		for range a.Terms(s) {
			return true
		}
	}
	return false
}

// named are the ids and titles of documents.
func named(ctx context.Context, docs answerer, ids []string) ([]similar.Document, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := docs.titled(ctx, ids)
	for i, id := range ids {
		if err == nil && (i >= len(list) || list[i].ID != id) {
			err = fmt.Errorf("similar: %q: %w", id, similar.ErrUnknown)
		}
	}
	return list, err
}

func (h *Handler) documentPage(ctx context.Context, v *view) (err error) {
	r := v.Request
	if v.Document, err = h.document(ctx, r); err != nil {
		return err
	}
	var terms []string
	if r.Asks() {
		if v.Why, err = h.why(ctx, r); err != nil {
			return err
		}
		for _, s := range v.Why.Shares[:min(explained, len(v.Why.Shares))] {
			terms = append(terms, s.Term)
		}
	}
	read, err := r.docs.reading(ctx, r, terms)
	if err != nil {
		return err
	}
	v.Heading, v.Body, v.Fields = read.Heading, read.Body, sortedFields(v.Document.Fields)
	v.Answer, err = h.search(ctx, &request{Like: []string{r.ID}, K: 8, docs: r.docs})
	return err
}

func (h *Handler) whyPage(ctx context.Context, v *view) (err error) {
	if v.Why, err = h.why(ctx, v.Request); err != nil {
		return err
	}
	list, err := named(ctx, v.Request.docs, []string{v.Request.ID})
	if err == nil {
		v.Subject = list[0]
	}
	return err
}

func (h *Handler) mapPage(ctx context.Context, v *view) (err error) {
	if v.Map, err = h.neighbourhood(ctx, v.Request); err != nil {
		return err
	}
	v.Drawing, v.Arcs = draw(v.Map), arcs(v.Map)
	v.Trail, err = named(ctx, v.Request.docs, v.Request.Trail)
	return err
}

func (h *Handler) apiPage(_ context.Context, v *view) error {
	v.Endpoints, v.Parameters = Endpoints, Parameters
	return nil
}

func (h *Handler) notFound(context.Context, *view) error {
	return &statusError{status: http.StatusNotFound, err: errors.New("there is no such page")}
}

// functions are the functions of the templates.
func (h *Handler) functions() template.FuncMap {
	return template.FuncMap{
		"static":   h.static,
		"fields":   sortedFields,
		"marked":   marked,
		"order":    orderText,
		"sortable": sortable,
		"links":    h.answerLinks,
		"heading":  func(d similar.Document) string { return heading(&d) },
		"title":    func(title, id string) string { return heading(&similar.Document{ID: id, Title: title}) },
		"count":    grouped,
		"documents": func(n int) string {
			if n == 1 {
				return "1 document"
			}
			return grouped(n) + " documents"
		},
		"shards": func(list []int) string {
			if len(list) == 1 {
				return strings.ToUpper(numbers(list)[:1]) + numbers(list)[1:] + " has not"
			}
			return strings.ToUpper(numbers(list)[:1]) + numbers(list)[1:] + " have not"
		},
		"score":    func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) },
		"percent":  func(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) },
		"half":     func(v float64) float64 { return v / 2 },
		"add":      func(a, b int) int { return a + b },
		"like":     func(id string) request { return request{Like: []string{id}} },
		"map":      func(id string) request { return request{ID: id} },
		"previous": func(r *request) int { return max(0, r.From-cmp.Or(r.K, pageHits)) },
		"next":     func(r *request) int { return r.From + cmp.Or(r.K, pageHits) },
		"step":     step,
		"back":     back,
		"rest":     rest,
		"at":       func(path string, r request) string { return h.base + r.at(path) },
	}
}

// marked is a text with its marked words as HTML. Calls of functions are most of what a template
// costs, and there is one for all parts.
func marked(list []snippet.Part) template.HTML {
	var b strings.Builder
	for _, p := range list {
		if p.Marked {
			b.WriteString("<mark>")
		}
		template.HTMLEscape(&b, []byte(p.Text))
		if p.Marked {
			b.WriteString("</mark>")
		}
	}
	return template.HTML(b.String())
}

// Links lead from an answer to more about it. Each is the attribute of an element.
type Links struct{ Document, Similar, Why, Map template.HTMLAttr }

// answerLinks are the links of an answer to a request.
func (h *Handler) answerLinks(r *request, id string) Links {
	about, near, like := r.For(id).encoded(), request{ID: id}.encoded(), request{Like: []string{id}}.encoded()
	attribute := func(path, parameters string) template.HTMLAttr {
		return template.HTMLAttr(`href="` + template.HTMLEscapeString(h.base+path) + "?" + template.HTMLEscapeString(parameters) + `"`)
	}
	return Links{attribute("/document", about), attribute("/", like), attribute("/why", about), attribute("/map", near)}
}

// grouped is a number with its thousands apart: 10,000.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// step is the map around a neighbour of the document that a map is of.
func step(from request, id string) request {
	trail := append(append([]string{}, from.Trail...), from.ID)
	return request{ID: id, K: from.K, Trail: trail[max(0, len(trail)-maxTrail):]}
}

// back is the map around a document that one came by.
func back(from request, place int) request {
	return request{ID: from.Trail[place], K: from.K, Trail: from.Trail[:place]}
}

// mostShares is how many shares a page shows.
const mostShares = 12

// rest sums up the shares that a page does not show.
func rest(w *Why) (r struct {
	Shown []Share
	More  int
	Share float64
}) {
	r.Shown = w.Shares[:min(mostShares, len(w.Shares))]
	r.More, r.Share = w.Terms-len(r.Shown), 1
	for _, s := range r.Shown {
		r.Share -= s.Share
	}
	r.Share = max(0, r.Share)
	return r
}
