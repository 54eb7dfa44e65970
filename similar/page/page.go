// Package page serves an index as a page and as a JSON API.
//
//	h, err := page.New(x.Searcher, page.Options{Name: "papers"})
//	err = page.Serve(ctx, "localhost:8080", h, nil)
//
//	s, err := page.NewSite(ctx, page.Options{}, page.Source{Name: "papers", Dir: "papers"})
//	go s.Watch(ctx, time.Second)
//	err = page.Serve(ctx, "localhost:8080", s, nil)
//
// The page answers as one types, marks the words that were met, says why a document was found,
// finds similar documents, draws a map of a document's neighbours, and takes marks of good answers
// into account. All of it works with the keyboard, without a network, and, except for answers as
// one types, without script. Table Endpoints lists the API.
//
// A Site serves saved indexes, takes up what others save, and lets clients with a token write. Package
// client is such a client. Text of documents and queries is escaped wherever it goes, and the
// Content-Security-Policy allows no script and no style but the page's own.
package page

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// Options are the options of a page. The zero value is good.
type Options struct {
	Name string // the page's name of the index, "similar" if empty

	Searches int           // how many run at a time; others wait. As many as processors where 0
	Costly   int           // how many run besides that are costly: by documents, with conditions, of over 100 answers; half of Searches where 0
	Waiting  int           // how many of either kind may wait; more are sent away. 1,000 where 0
	Timeout  time.Duration // the longest a request waits and searches; 10 s where 0
	MaxQuery int           // bytes of a query; 4,096 where 0
	MaxK     int           // documents of one answer, and how far one may page; 10,000 where 0
	Unread   int64         // bytes of answers that clients have yet to read; more are sent away. 128 MB where 0

	// Table is the statistics of the collection that the index is a shard of: see NewFront. Version
	// is the collection's, which all shards must have, and a hash of the table if it is empty.
	Table   *similar.Table
	Version string
	// Shard is the number of the shard, and Of how many there are, so that a front whose list says
	// otherwise does not ask it. Of is 0 where nobody knows.
	Shard, Of int

	// Quorum is the part of a shard's servers, 0 to 1, that must have a new version before the requests
	// to a front see it. One server of each shard must have it in any case. Half where 0.
	Quorum float64

	Log     *slog.Logger      // gets a line for each request, if it is not nil
	Observe func(Observation) // is called after each request, if it is not nil, by several goroutines at once
	Tokens  *Tokens           // let clients of a Site write; nil lets none
	// Sync makes the index in a folder equal to the sources that it records, and saves it. Clients
	// of a Site with a token may ask for it, unless it is nil. One sync runs at a time. Its context
	// ends when the server stops or the Site is closed.
	Sync  func(ctx context.Context, dir string) (Synced, error)
	Extra map[string]http.Handler // what else a Site serves, by patterns of http.ServeMux
}

// check is an error for options that make no sense.
func (o Options) check() error {
	if o.Searches < 0 || o.Waiting < 0 || o.Timeout < 0 || o.MaxQuery < 0 || o.MaxK < 0 || o.Costly < 0 || o.Unread < 0 {
		return errors.New("page: a limit must not be negative")
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Name = cmp.Or(o.Name, "similar")
	o.Searches = cmp.Or(o.Searches, runtime.GOMAXPROCS(0))
	o.Costly = cmp.Or(o.Costly, max(1, o.Searches/2))
	o.Waiting = cmp.Or(o.Waiting, 1000)
	o.Unread = cmp.Or(o.Unread, 128<<20)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.MaxQuery = cmp.Or(o.MaxQuery, 4096)
	o.MaxK = cmp.Or(o.MaxK, 10000)
	return o
}

//go:embed templates static
var files embed.FS

// Handler is the page and the API of one index. Any number of goroutines may use it at once, also
// while the index changes.
type Handler struct {
	*limits
	docs      collection // nil for the page that lists the indexes of a site
	options   Options
	base      string // what addresses begin with: "" or "/name"
	templates *template.Template
	mux       *http.ServeMux
	assets    map[string]asset

	// write changes the index and saves it. It is nil where clients may not.
	write func(context.Context, func(*similar.Index) error) error
	// startSync starts a sync, and lastSync is the last one, nil if there was none. Both are nil where
	// clients may not sync.
	startSync func() (*syncRun, error)
	lastSync  func() *syncRun
}

// Requests share limits, also those to several indexes, and while one takes another's place.
type limits struct {
	plain   *lane        // plain searches
	costly  *lane        // costly ones
	writes  *lane        // changes, one at a time
	unread  atomic.Int64 // bytes of answers on their way
	most    int64        // of unread
	timeout time.Duration
}

// writesWaiting is how many changes may wait. Each may have MaxWrite bytes.
const writesWaiting = 4

func newLimits(o Options) *limits {
	return &limits{
		plain: newLane(o.Searches, o.Waiting), costly: newLane(o.Costly, o.Waiting), writes: newLane(1, writesWaiting),
		most: o.Unread, timeout: o.Timeout,
	}
}

// New returns the page of what a searcher searches: an index, shards, or an index with a table. It
// returns an error for options that are negative.
func New(x *similar.Searcher, o Options) (*Handler, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	with, o, err := shardOf(x, o)
	if err != nil {
		return nil, err
	}
	return newHandler(&oneIndex{x: with, own: x}, o, newLimits(o), "")
}

// newHandler returns the page of an index whose addresses begin with base.
func newHandler(docs collection, o Options, l *limits, base string) (*Handler, error) {
	h := &Handler{limits: l, docs: docs, options: o, base: base, mux: http.NewServeMux()}
	var err error
	if h.assets, err = assets(); err != nil {
		return nil, err
	}
	h.templates = template.Must(template.New("").Funcs(h.functions()).ParseFS(files, "templates/*.html"))
	h.mux.HandleFunc("GET /{$}", h.html("search", words, h.searchPage))
	h.mux.HandleFunc("GET /results", h.html("results", words, h.searchPage))
	h.mux.HandleFunc("GET /like", h.pastePage)
	h.mux.HandleFunc("POST /like", h.pastePage)
	h.mux.HandleFunc("GET /document", h.html("document", costly, h.documentPage))
	h.mux.HandleFunc("GET /why", h.html("why", words, h.whyPage))
	h.mux.HandleFunc("GET /map", h.html("map", costly, h.mapPage))
	for _, path := range []string{"/api", "/api/{$}"} {
		h.mux.HandleFunc("GET "+path, h.html("api", free, h.apiPage))
	}
	for _, e := range Endpoints {
		h.mux.HandleFunc(e.method()+" "+e.Path, h.json(e))
	}
	h.mux.HandleFunc("GET /api/openapi.json", h.serveOpenAPI)
	if l, ok := docs.(*oneIndex); ok {
		h.mux.HandleFunc("GET /api/table", h.serveTable)
		if o.Version != "" {
			h.routeShard(l)
		}
	}
	h.mux.HandleFunc("/api/", h.noEndpoint)
	h.mux.HandleFunc("GET /static/{name}", h.serveAsset)
	h.mux.HandleFunc("/", h.html("error", free, h.notFound))
	return h, nil
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start, recorded := time.Now(), &recorder{ResponseWriter: w}
	r, part := traced(r)
	defer h.observe(r, part, recorded, start)
	secure(w)
	if err := cmp.Or(foreign(r), legible(r)); err != nil {
		h.sendJSON(recorded, nil, err)
		return
	}
	h.mux.ServeHTTP(recorded, r)
}

// secure sets the headers of every answer.
func secure(w http.ResponseWriter) {
	for name, value := range headers {
		w.Header().Set(name, value)
	}
}

// headers are the headers of every answer: a browser runs, shows and requests nothing but this
// server's files, and no other site may frame or read it.
var headers = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cache-Control":                "no-cache",
}
