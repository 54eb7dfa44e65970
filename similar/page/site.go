package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gridstride/gridstride/similar"
)

// A Source is a saved index that a site serves.
type Source struct {
	Name string // its name on pages, and its part of addresses if there are several
	Dir  string
}

// A Site serves saved indexes: one at the root, several each below its name. It takes up what others
// save to their folders (Watch), and saves what clients with a token write. Any number of goroutines
// may use it at once.
type Site struct {
	options Options
	limits  *limits
	list    []*shelf
	mux     *http.ServeMux
	syncs   *syncs
}

// A shelf is the place of one index of a site.
type shelf struct {
	Source
	base    string
	current atomic.Pointer[edition]
	stale   atomic.Pointer[string]  // why the folder could not be opened last, if so
	synced  atomic.Pointer[syncRun] // the last sync
	writing sync.Mutex              // held while the index is changed, or another takes its place
}

// An edition is a shelf's index as it was opened.
type edition struct {
	index   *similar.Index
	handler *Handler
	use     sync.RWMutex // held for reading by requests, and for writing to close the index
}

// NewSite opens the indexes of a site. A name is a part of addresses, so two that are equal, or one
// with a slash if there are several, are errors.
func NewSite(ctx context.Context, o Options, sources ...Source) (*Site, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	s := &Site{options: o, limits: newLimits(o), mux: http.NewServeMux(), syncs: newSyncs()}
	for _, source := range sources {
		sh := &shelf{Source: source}
		if len(sources) > 1 {
			sh.base = "/" + url.PathEscape(source.Name)
			if err := s.checkName(source.Name); err != nil {
				return nil, errors.Join(err, s.Close())
			}
		}
		if err := s.open(ctx, sh); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.list = append(s.list, sh)
	}
	if err := s.route(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// names are of letters that need no escape in an address and its pattern.
var names = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._~-]*$`)

// reserved are the first parts of a site's own addresses.
var reserved = []string{"api", "healthz", "livez", "metrics", "readyz", "static"}

func (s *Site) checkName(name string) error {
	if !names.MatchString(name) || slices.Contains(reserved, name) {
		return fmt.Errorf("page: one of several indexes cannot be called %q; want letters, digits, '.', '-' and '_', and none of %s", name, strings.Join(reserved, ", "))
	}
	if slices.ContainsFunc(s.list, func(sh *shelf) bool { return sh.Name == name }) {
		return fmt.Errorf("page: two indexes are called %q", name)
	}
	return nil
}

// route makes the addresses of the site.
func (s *Site) route() error {
	s.mux.HandleFunc("GET /healthz", s.health)
	s.mux.HandleFunc("GET /readyz", s.health) // a site is ready when it serves
	for pattern, h := range s.options.Extra {
		s.mux.Handle(pattern, h)
	}
	if len(s.list) == 1 {
		s.mux.Handle("/", s.list[0])
		return nil
	}
	front, err := newFront(s)
	if err != nil {
		return err
	}
	s.mux.Handle("/", front)
	for _, sh := range s.list {
		s.mux.Handle("/"+sh.Name+"/", below(sh))
	}
	return nil
}

// below takes the first part away from a request's path, however it is escaped: http.StripPrefix
// knows one escape of a prefix alone.
func below(h http.Handler) http.Handler {
	rest := func(path string) string {
		if i := strings.IndexByte(strings.TrimPrefix(path, "/"), '/'); i >= 0 {
			return path[i+1:]
		}
		return ""
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r2, u := *r, *r.URL
		u.Path, u.RawPath = rest(u.Path), rest(u.RawPath)
		r2.URL = &u
		h.ServeHTTP(w, &r2)
	})
}

// open opens a shelf's folder, and puts the index in the place of the one before.
func (s *Site) open(ctx context.Context, sh *shelf) error {
	x, err := similar.Open(ctx, sh.Dir)
	if err != nil {
		return err
	}
	o := s.options
	o.Name = sh.Name
	with, o, err := shardOf(x.Searcher, o)
	if err != nil {
		return errors.Join(err, x.Close())
	}
	h, err := newHandler(&oneIndex{x: with, own: x.Searcher}, o, s.limits, sh.base)
	if err != nil {
		return errors.Join(err, x.Close())
	}
	if s.options.Tokens != nil {
		h.write = func(ctx context.Context, change func(*similar.Index) error) error { return s.change(ctx, sh, change) }
		if s.options.Sync != nil {
			h.startSync, h.lastSync = func() (*syncRun, error) { return s.startSync(sh) }, sh.synced.Load
		}
	}
	before := sh.current.Swap(&edition{index: x, handler: h})
	sh.stale.Store(nil)
	if before != nil {
		go before.close() // after the requests that use it
	}
	return nil
}

func (e *edition) close() error {
	e.use.Lock()
	defer e.use.Unlock()
	return e.index.Close()
}

// hold returns the present edition, which stays open until it is let go.
func (sh *shelf) hold() (e *edition, done func()) {
	for {
		if e = sh.current.Load(); e.use.TryRLock() {
			return e, e.use.RUnlock
		}
	}
}

// ServeHTTP implements http.Handler.
func (sh *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e, done := sh.hold()
	defer done()
	e.handler.ServeHTTP(w, r)
}

// ServeHTTP implements http.Handler.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := legible(r); err != nil {
		secure(w)
		s.limits.sendJSON(w, nil, err)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// Len returns how many documents the indexes have.
func (s *Site) Len() int {
	n := 0
	for _, sh := range s.list {
		e, done := sh.hold()
		n += e.index.Len()
		done()
	}
	return n
}

// Close ends the sync that runs, and closes the indexes after the requests that use them.
func (s *Site) Close() error {
	s.syncs.close()
	var errs []error
	for _, sh := range s.list {
		errs = append(errs, sh.current.Load().close())
	}
	return errors.Join(errs...)
}

// Watch takes up each generation that others save to the folders, soon after it is saved, until the
// context ends. A folder that cannot be opened leaves the index that was: health says so.
func (s *Site) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, sh := range s.list {
			if err := s.refresh(ctx, sh); err != nil && ctx.Err() == nil {
				s.note(sh, err)
			}
		}
	}
}

// note keeps why a shelf is stale, and logs it once.
func (s *Site) note(sh *shelf, err error) {
	text := err.Error()
	if before := sh.stale.Swap(&text); (before == nil || *before != text) && s.options.Log != nil {
		s.options.Log.Error("an index cannot be opened again", "index", sh.Name, "error", text)
	}
}

// refresh opens a shelf's folder again if it has another generation.
func (s *Site) refresh(ctx context.Context, sh *shelf) error {
	sh.writing.Lock()
	defer sh.writing.Unlock()
	now, err := similar.ReadGeneration(sh.Dir)
	if err != nil {
		return err
	}
	if now == sh.current.Load().index.Generation() {
		sh.stale.Store(nil)
		return nil
	}
	return s.open(ctx, sh)
}

// change changes an index and saves it. One that cannot be saved is opened again as it was, so that
// searches find what the folder holds.
func (s *Site) change(ctx context.Context, sh *shelf, change func(*similar.Index) error) error {
	if err := s.refresh(ctx, sh); err != nil {
		return err
	}
	sh.writing.Lock()
	defer sh.writing.Unlock()
	x := sh.current.Load().index
	if err := change(x); err != nil {
		return err
	}
	err := x.Save(ctx, sh.Dir)
	if err != nil {
		err = errors.Join(err, s.open(context.WithoutCancel(ctx), sh))
	}
	return err
}

// Health is the answer of /healthz.
type Health struct {
	Status  string        `json:"status"` // "ok", or "stale" where an index could not be opened again
	Indexes []IndexHealth `json:"indexes"`
}

// IndexHealth is the state of one index.
type IndexHealth struct {
	Name       string `json:"name"`
	Documents  int    `json:"documents"`
	Generation uint64 `json:"generation"`
	// Versions are the sums of the versions that are open, the one to serve first: see Versions.
	Versions []string `json:"versions,omitempty"`
	Error    string   `json:"error,omitempty"`
}

// Health returns the state of the indexes.
func (s *Site) Health() Health {
	health := Health{Status: "ok", Indexes: []IndexHealth{}}
	for _, sh := range s.list {
		e, done := sh.hold()
		state := IndexHealth{Name: sh.Name, Documents: e.index.Len(), Generation: e.index.Generation().Number}
		done()
		if text := sh.stale.Load(); text != nil {
			health.Status, state.Error = "stale", *text
		}
		health.Indexes = append(health.Indexes, state)
	}
	return health
}

// health answers as long as the site serves: also with an index that is stale.
func (s *Site) health(w http.ResponseWriter, _ *http.Request) {
	secure(w)
	s.limits.sendJSON(w, s.Health(), nil)
}

// newFront returns the page that lists the indexes of a site.
func newFront(s *Site) (http.Handler, error) {
	h, err := newHandler(nil, s.options, s.limits, "")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", h.html("front", free, func(_ context.Context, v *view) error {
		v.Indexes = s.Health().Indexes
		for _, i := range v.Indexes {
			v.Documents += i.Documents
		}
		return nil
	}))
	mux.HandleFunc("GET /static/{name}", h.serveAsset)
	mux.HandleFunc("/", h.html("nowhere", free, h.notFound))
	h.mux = mux
	return h, nil
}
