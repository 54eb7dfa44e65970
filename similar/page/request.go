package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
)

// A statusError reports a client's mistake, or a request that the server cannot serve now.
type statusError struct {
	status int
	err    error
	retry  time.Duration // after which the same may succeed
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

func badRequest(format string, args ...any) error {
	return &statusError{status: http.StatusBadRequest, err: fmt.Errorf(format, args...)}
}

// status is the HTTP status of an error.
func status(err error) int {
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.status
	}
	if _, ok := errors.AsType[*errNeeds](err); ok {
		return http.StatusPreconditionRequired
	}
	if _, ok := errors.AsType[*similar.FieldError](err); ok {
		return http.StatusBadRequest
	}
	switch {
	case errors.Is(err, similar.ErrQuery):
		return http.StatusBadRequest
	case errors.Is(err, similar.ErrUnknown):
		return http.StatusNotFound
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// A request holds the parameters of an address.
type request struct {
	Q         string         `json:"q,omitempty"`
	Syntax    string         `json:"syntax,omitempty"` // of Q
	Typing    string         `json:"typing,omitempty"` // not empty: the last word of Q may not be complete
	Like      []string       `json:"like,omitempty"`
	Terms     int            `json:"terms,omitempty"` // -1 is all
	Good      []string       `json:"good,omitempty"`
	Where     similar.Fields `json:"where,omitempty"`
	Field     []string       `json:"field,omitempty"`
	ID        string         `json:"id,omitempty"`
	K         int            `json:"k,omitempty"`
	From      int            `json:"from,omitempty"`
	Sort      []string       `json:"sort,omitempty"` // NAME or -NAME
	Threshold float64        `json:"threshold,omitempty"`
	Collapse  float64        `json:"collapse,omitempty"`

	where  similar.Condition // of Where, if that has any
	order  []similar.Order   // of Sort
	pasted *similar.Document // that others are to be like

	docs      answerer         // that the request is of
	fields    []string         // of the query, which documents have
	elsewhere []similar.Sample // liked and good documents of other shards
	words     *termWords       // of terms, which a front gives; nil where the documents are read for them

	Trail []string `json:"-"` // of the map: the documents one came by, the first first

	clause    query.Clause // what Q says, nil if it is words alone or cannot be read
	wrong     *query.Error // why it cannot be read
	read      string       // how it was read, if it has operators
	operators []operator   // that it has
}

// Most of these a request may have: of liked and of good documents, of filters, of fields to sort
// by, and of a trail.
const (
	maxIDs   = 32
	maxSort  = 8
	maxTrail = 6
)

// maxTerms is how many terms of liked documents a request may ask for by their number.
const maxTerms = 10_000

// single are the parameters that an address may have once.
var single = []string{"q", "syntax", "typing", "terms", "id", "k", "from", "threshold", "collapse"}

// parameters returns the parameters of a request's address. An escape that is none, or a second value
// of a parameter that has one, is an error: nobody knows what was meant.
func parameters(r *http.Request) (url.Values, error) {
	v, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badRequest("the address cannot be read: %w", err)
	}
	for _, name := range single {
		if n := len(v[name]); n > 1 {
			return nil, badRequest("%s is there %d times; want it once", name, n)
		}
	}
	return v, nil
}

// read reads the parameters of an address. Those that it does not know are not its business.
func (h *Handler) read(ctx context.Context, docs answerer, v url.Values) (*request, error) {
	r := &request{
		docs: docs,
		Q:    v.Get("q"), Syntax: v.Get("syntax"), Typing: v.Get("typing"), Like: v["like"], Good: unique(v["good"]),
		Field: unique(v["field"]), ID: v.Get("id"), Trail: v["trail"],
	}
	if len(r.Q) > h.options.MaxQuery {
		return nil, badRequest("the query has %d bytes, and %d are the most: shorten it", len(r.Q), h.options.MaxQuery)
	}
	if len(r.Like)+len(r.Good) > maxIDs || len(v["where"]) > maxIDs || len(r.Field) > maxIDs {
		return nil, badRequest("more than %d documents, conditions or fields: name fewer", maxIDs)
	}
	var unknown error
	hasField := func(name string) bool {
		has, err := docs.hasField(ctx, name)
		if unknown = firstOf(unknown, err); has && !slices.Contains(r.fields, name) {
			r.fields = append(r.fields, name)
		}
		return has
	}
	if err := firstOf(r.parse(hasField), unknown); err != nil {
		return nil, err
	}
	var err error
	if r.Where, err = similar.ParseFields(v["where"]...); err != nil {
		return nil, badRequest("where: %w", err)
	}
	if r.where, err = docs.language().Conditions(v["where"]...); err != nil {
		return nil, badRequest("where: %w", err)
	}
	if r.K, err = number(v, "k", 0, h.options.MaxK); err != nil {
		return nil, err
	}
	if r.From, err = number(v, "from", 0, h.options.MaxK); err != nil {
		return nil, err
	}
	if v.Get("terms") == "all" {
		r.Terms = -1
	} else if r.Terms, err = number(v, "terms", 1, maxTerms); err != nil {
		return nil, fmt.Errorf("%w, or all", err)
	}
	if r.Threshold, err = decimal(v, "threshold", math.MaxFloat64); err != nil {
		return nil, err
	}
	if r.Collapse, err = decimal(v, "collapse", 1); err != nil {
		return nil, err
	}
	if last := r.From + cmp.Or(r.K, pageHits); r.Collapse > 0 && last >= similar.MaxCollapsed {
		return nil, badRequest("from and k end at rank %d; want less than %d with collapse", last, similar.MaxCollapsed)
	}
	r.Trail = r.Trail[max(0, len(r.Trail)-maxTrail):]
	return r, r.sorted(v["sort"])
}

// number reads a whole number in lowest..most, or 0 if there is none.
func number(v url.Values, name string, lowest, most int) (int, error) {
	text := v.Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < lowest || n > most {
		return 0, badRequest("%s %q; want a number of %d..%d", name, text, lowest, most)
	}
	return n, nil
}

// decimal reads a number in 0..most, or 0 if there is none.
func decimal(v url.Values, name string, most float64) (float64, error) {
	text := v.Get(name)
	if text == "" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= most) {
		if most == 1 {
			return 0, badRequest("%s %q; want a number of 0..1", name, text)
		}
		return 0, badRequest("%s %q; want a number that is not negative", name, text)
	}
	return x, nil
}

func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// goodWeight is the weight of the terms of good documents, with 1 for the query's: more than if
// nobody has looked at the documents, and 0.75 as is usual (Manning, Raghavan and Schütze,
// Introduction to Information Retrieval, 2008, 9.1.1).
const goodWeight = 0.75

// Asks reports whether there is anything to look for.
func (r *request) Asks() bool { return strings.TrimSpace(r.Q) != "" || r.likes() }

// likes reports whether documents are part of what is looked for.
func (r *request) likes() bool { return len(r.Like)+len(r.Good) > 0 || r.pasted != nil }

// query is the request as the index takes it.
func (r *request) query() similar.Query {
	q := similar.Query{Text: r.Q, Like: r.Like, Document: r.pasted, Terms: r.Terms, Threshold: r.Threshold, Collapse: r.Collapse, Sort: r.order, Elsewhere: r.elsewhere}
	if r.clause != nil {
		q.Text, q.Clause = "", r.clause
	}
	if len(r.Good) > 0 {
		q.Feedback = &similar.Feedback{Good: r.Good, Weight: goodWeight}
	}
	var list []similar.Condition
	if len(r.Good) > 0 {
		list = append(list, similar.Not(similar.WithID(r.Good...)))
	}
	if len(r.Where) > 0 {
		list = append(list, r.where)
	}
	if len(list) > 0 {
		q.Where = similar.All(list...)
	}
	return q
}

// values are the parameters of a request again, in one order.
func (r request) values() url.Values {
	v := url.Values{}
	set := func(name string, values ...string) {
		for _, text := range values {
			if text != "" {
				v.Add(name, text)
			}
		}
	}
	set("q", r.Q)
	set("syntax", r.Syntax)
	set("typing", r.Typing)
	set("like", r.Like...)
	switch {
	case r.Terms < 0:
		set("terms", "all")
	case r.Terms > 0:
		set("terms", strconv.Itoa(r.Terms))
	}
	set("good", r.Good...)
	for _, name := range slices.Sorted(maps.Keys(r.Where)) {
		set("where", name+"="+r.Where[name])
	}
	set("field", r.Field...)
	set("id", r.ID)
	set("trail", r.Trail...)
	if r.K > 0 {
		set("k", strconv.Itoa(r.K))
	}
	if r.From > 0 {
		set("from", strconv.Itoa(r.From))
	}
	set("sort", r.Sort...)
	if r.Threshold > 0 {
		set("threshold", strconv.FormatFloat(r.Threshold, 'g', -1, 64))
	}
	if r.Collapse > 0 {
		set("collapse", strconv.FormatFloat(r.Collapse, 'g', -1, 64))
	}
	return v
}

// encoded are the parameters in an address.
func (r request) encoded() string { return r.values().Encode() }

// at is the address of a request on a path.
func (r request) at(path string) string {
	if text := r.encoded(); text != "" {
		return path + "?" + text
	}
	return path
}

// For asks the same about one document.
func (r request) For(id string) request {
	r.ID, r.From, r.K = id, 0, 0
	return r
}

// Page asks for what begins at another rank.
func (r request) Page(from int) request {
	r.From = from
	return r
}

// With asks the same of documents whose field has a value.
func (r request) With(name, value string) request {
	r.Where = maps.Clone(r.Where)
	if r.Where == nil {
		r.Where = similar.Fields{}
	}
	r.Where[name] = value
	r.From = 0
	return r
}

// Without asks the same without a liked or a good document, a condition, a field to sort by, the
// threshold or the collapsing of near-duplicates.
func (r request) Without(kind, name string) request {
	drop := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == name })
	}
	switch kind {
	case "like":
		r.Like = drop(r.Like)
	case "good":
		r.Good = drop(r.Good)
	case "where":
		r.Where = maps.Clone(r.Where)
		delete(r.Where, name)
	case "sort":
		r.Sort = drop(r.Sort)
	case "threshold":
		r.Threshold = 0
	case "collapse":
		r.Collapse = 0
	}
	r.From = 0
	return r
}
