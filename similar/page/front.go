package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// A Front serves a collection whose documents are in shards, which other servers have: it asks all,
// and merges their answers to what one index of all documents answers. Any number of goroutines may
// use it at once.
//
// Shards that do not answer in time are named in answers (missing) and on pages. A request sees one
// version of the collection from beginning to end.
type Front struct {
	cluster *scatter.Cluster
	handler *Handler
	mux     *http.ServeMux
}

// A ShardObservation is how a front's request to a server of a shard went.
type ShardObservation struct {
	Shard  int
	Server string // its address
	Route  string // the path of the question
	Result string // "ok", "refused", "busy", "version", "failed", or "dropped" where another server was sooner
	Hedge  bool   // whether another server of the shard was asked before
	Took   time.Duration
	Bytes  int
}

// frontSearches is how many requests of either kind a front runs at a time: they wait for shards.
const frontSearches = 64

// ParseShards reads a list of shards for NewFront: commas between the shards, bars between the servers of a
// shard. A server is an address, such as http://a:8080, or dns:NAME for those that the DNS has under a name
// (SRV).
func ParseShards(list string) ([][]string, error) {
	shards, err := scatter.Parse(list)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return shards, nil
}

// NewFront returns the front of some shards, each the addresses of servers that have the same
// documents: of pages with Options.Table. It asks them after Watch is called, and serves when it
// has asked all once.
//
// Options.Searches and Costly are 64 if 0. A front has no Table, Version, Tokens and Sync.
func NewFront(shards [][]string, o Options, observe func(ShardObservation)) (*Front, error) {
	if o.Table != nil || o.Version != "" || o.Tokens != nil || o.Sync != nil {
		return nil, errors.New("page: a front has no table, no version and no tokens")
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Searches, o.Costly = cmp.Or(o.Searches, frontSearches), cmp.Or(o.Costly, frontSearches)
	o = o.withDefaults()
	options := scatter.Options{MaxAnswer: MaxAnswer, Quorum: o.Quorum}
	if observe != nil {
		options.Observe = func(a scatter.Attempt) {
			observe(ShardObservation{a.Shard, a.Server, a.Path, a.Result, a.Hedge, a.Took, a.Bytes})
		}
	}
	cluster, err := scatter.New(shards, options)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	h, err := newHandler(&sharded{cluster: cluster}, o, newLimits(o), "")
	if err != nil {
		return nil, err
	}
	f := &Front{cluster, h, http.NewServeMux()}
	f.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { f.health(w) })
	f.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("partial") {
			f.health(w, "down")
		} else {
			f.health(w, "down", "partial")
		}
	})
	f.mux.HandleFunc("/shard/", h.noEndpoint) // a front is no shard, and asks itself nothing
	for pattern, extra := range o.Extra {
		f.mux.Handle(pattern, extra)
	}
	f.mux.Handle("/", h)
	return f, nil
}

// Watch looks at the servers every second, until the context ends.
func (f *Front) Watch(ctx context.Context) {
	f.cluster.Watch(ctx)
	f.cluster.Close()
}

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := legible(r); err != nil {
		secure(w)
		f.handler.sendJSON(w, nil, err)
		return
	}
	f.mux.ServeHTTP(w, r)
}

// FrontHealth is how the shards of a front are.
type FrontHealth struct {
	Status    string        `json:"status"` // "ok", "partial" if shards are missing, or "down" if all are
	Version   string        `json:"version,omitempty"`
	Documents int           `json:"documents"`
	Missing   []int         `json:"missing,omitempty"` // shards without a server that answers with the version
	Shards    []ShardHealth `json:"shards"`
}

// ShardHealth is how the servers of one shard are.
type ShardHealth struct {
	Servers []ServerHealth `json:"servers"`
}

// ServerHealth is how one server is.
type ServerHealth = scatter.ServerState

// Health returns how the shards are, as they were looked at last.
func (f *Front) Health() FrontHealth {
	health := FrontHealth{Status: "down", Shards: []ShardHealth{}}
	if v := known(f.cluster); v.Name != "" {
		health.Status, health.Version, health.Missing = "ok", v.Name, v.Missing
		for _, n := range v.Documents {
			health.Documents += n
		}
		if len(v.Missing) > 0 {
			health.Status = "partial"
		}
	}
	for _, servers := range f.cluster.Servers() {
		health.Shards = append(health.Shards, ShardHealth{servers})
	}
	return health
}

// health answers with the status 200, or with 503 where the state is one of those that are bad.
func (f *Front) health(w http.ResponseWriter, bad ...string) {
	secure(w)
	health := f.Health()
	if slices.Contains(bad, health.Status) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		f.handler.sendJSON(w, nil, busy(time.Second, fmt.Errorf("not ready: the status is %s, and %s", health.Status, missingText(&health))))
		return
	}
	f.handler.sendJSON(w, health, nil)
}

func missingText(h *FrontHealth) string {
	if len(h.Missing) == 0 {
		return "no shard answers"
	}
	return numbers(h.Missing) + " do not answer with the version"
}
