package page

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/scatter"
)

// A Version is a version of a collection, or a shard of one, that is open.
type Version struct {
	Place     string // its path or address, which Versions compares
	Sum       string // two versions with the same sum are the same
	Shard, Of int    // the number of the shard, and how many there are; Of is 0 for all of the collection
	Searcher  *similar.Searcher
	Close     func() error // is called once, after the last request
}

// A VersionSource says which version is to be served, and opens versions.
type VersionSource interface {
	// Place returns where the version is that is to be served now. It is called again and again.
	Place(ctx context.Context) (string, error)
	// Open opens the version at a place.
	Open(ctx context.Context, place string) (*Version, error)
}

// Versions serves a version of a collection. It takes up another one when its source names it
// (Watch): it opens that version next to the one before, asks it the last questions, and then serves
// both. Pages and requests that name no version get the newer one. Fronts name the version that they
// ask, and the one before stays until no front has named it for ten seconds. At most two versions
// are open at a time. Any number of goroutines may use it at once.
type Versions struct {
	options Options
	limits  *limits
	source  VersionSource
	mux     *http.ServeMux
	recent  recentQuestions
	warm    func(ctx context.Context, h http.Handler, version string) // brings a version into memory: recent.ask
	stale   atomic.Pointer[string]                                    // why the version that is to be served is not, if so
	lease   time.Duration                                             // how long a version is in use after a front has named it
	last    opening                                                   // of the version that is to be served

	mu   sync.Mutex
	open []*volume // the version to serve first
}

// A volume is an open version with its pages.
type volume struct {
	*Version
	handler *Handler
	use     sync.RWMutex // held for reading by requests, and for writing to close the version
	named   atomic.Int64 // when a front named it last, in nanoseconds since begun
}

// begun is when the program began. Times since then do not depend on the clock of the machine being
// set.
var begun = time.Now()

const (
	mostVolumes = 2                // that are open
	heldFor     = 10 * time.Second // after a front has named a version
)

// NewVersions opens the version that its source names. The options have no Table, Version, Tokens
// and Sync.
func NewVersions(ctx context.Context, o Options, source VersionSource) (*Versions, error) {
	if o.Table != nil || o.Version != "" || o.Tokens != nil || o.Sync != nil {
		return nil, errors.New("page: a version has a table and a name of its own, and no tokens")
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	v := &Versions{options: o, limits: newLimits(o), source: source, mux: http.NewServeMux(), lease: heldFor}
	v.warm = v.recent.ask
	place, err := source.Place(ctx)
	if err != nil {
		return nil, err
	}
	if err := v.load(ctx, place); err != nil {
		return nil, err
	}
	for _, path := range []string{"GET /healthz", "GET /readyz"} {
		v.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			secure(w)
			v.limits.sendJSON(w, v.Health(), nil)
		})
	}
	v.mux.HandleFunc("GET "+scatter.StatusPath, v.status)
	for pattern, h := range o.Extra {
		v.mux.Handle(pattern, h)
	}
	v.mux.HandleFunc("/", v.answer)
	return v, nil
}

// ServeHTTP implements http.Handler.
func (v *Versions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := legible(r); err != nil {
		secure(w)
		v.limits.sendJSON(w, nil, err)
		return
	}
	v.mux.ServeHTTP(w, r)
}

// answer answers with the version that a request names, or the newer one.
func (v *Versions) answer(w http.ResponseWriter, r *http.Request) {
	one, done := v.hold(r.Header.Get(scatter.VersionHeader))
	defer done()
	v.recent.note(r)
	one.handler.ServeHTTP(w, r)
}

// hold returns the open version with a sum, or else the one to serve now. It stays open until it is
// let go.
func (v *Versions) hold(sum string) (one *volume, done func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	one = v.open[0]
	for _, other := range v.open {
		if other.Sum == sum {
			one = other
			one.named.Store(int64(time.Since(begun)))
		}
	}
	one.use.RLock() // it does not wait: versions are closed after they have left the list
	return one, one.use.RUnlock
}

// status tells a front which versions there are. The front says which it uses.
func (v *Versions) status(w http.ResponseWriter, r *http.Request) {
	secure(w)
	_, done := v.hold(r.Header.Get(scatter.VersionHeader))
	done()
	status, err := v.held()
	w.Header().Set(scatter.VersionHeader, status.Version)
	v.limits.sendJSON(w, &status, err)
}

// held describes the open versions. It keeps others from closing them meanwhile.
func (v *Versions) held() (status scatter.Status, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, one := range v.open {
		s, err := one.handler.shardStatus()
		switch {
		case err != nil:
			return status, err
		case i == 0:
			status = s
		default:
			status.Held = append(status.Held, s)
		}
	}
	return status, nil
}

// Len returns how many documents the version has that is to be served.
func (v *Versions) Len() int {
	one, done := v.hold("")
	defer done()
	return one.Searcher.Len()
}

// Health returns the state of the version that is to be served. It is stale where another one is to
// be served and cannot be opened.
func (v *Versions) Health() Health {
	one, done := v.hold("")
	defer done()
	state := IndexHealth{Name: v.options.Name, Documents: one.Searcher.Len()}
	v.mu.Lock()
	for _, other := range v.open {
		state.Versions = append(state.Versions, other.Sum)
	}
	v.mu.Unlock()
	health := Health{Status: "ok"}
	if text := v.stale.Load(); text != nil {
		health.Status, state.Error = "stale", *text
	}
	health.Indexes = []IndexHealth{state}
	return health
}

// Watch takes up the versions that the source names, and closes those that no front names any more,
// until the context ends.
func (v *Versions) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := v.look(ctx, every); err != nil && ctx.Err() == nil {
			v.note(err)
		}
	}
}

// note keeps why a version cannot be served, and logs it once.
func (v *Versions) note(err error) {
	text := err.Error()
	if before := v.stale.Swap(&text); (before == nil || *before != text) && v.options.Log != nil {
		v.options.Log.Error("a version cannot be opened", "index", v.options.Name, "error", text)
	}
}

// look looks once.
func (v *Versions) look(ctx context.Context, every time.Duration) error {
	place, err := v.source.Place(ctx)
	if err == nil {
		err = v.last.again(place, every, func() error { return v.load(ctx, place) })
	}
	if err == nil {
		v.stale.Store(nil)
	}
	return errors.Join(err, v.release())
}

// An opening is how it went to open a version last.
type opening struct {
	place string
	err   error
	next  time.Time // when it is to be tried again
	wait  time.Duration
}

// mostWait is the longest time until a version that could not be opened is tried again. It may be
// large, and have to be fetched.
const mostWait = time.Minute

// again calls open, unless it failed for the place a short while ago. Each time it fails again the
// next one is twice as far away.
func (o *opening) again(place string, every time.Duration, open func() error) error {
	if o.place != place {
		*o = opening{place: place}
	}
	if o.err != nil && time.Now().Before(o.next) {
		return o.err
	}
	if o.err = open(); o.err != nil && !errors.Is(o.err, errThird) {
		o.wait = min(max(every, 2*o.wait), mostWait)
		o.next = time.Now().Add(o.wait)
	} else {
		o.wait, o.next = 0, time.Time{}
	}
	return o.err
}

var errThird = errors.New("two versions are in use, and a third one waits: some front has not gone over to the newer one")

// load makes the version at a place the one to serve.
func (v *Versions) load(ctx context.Context, place string) error {
	if v.prefer(func(one *volume) bool { return one.Place == place }) {
		return nil
	}
	if !v.room() {
		return errThird
	}
	opened, err := v.source.Open(ctx, place)
	if err != nil {
		return err
	}
	if v.prefer(func(one *volume) bool { return one.Sum == opened.Sum }) {
		v.mu.Lock()
		v.open[0].Place = place // the same version at another place
		v.mu.Unlock()
		return opened.Close()
	}
	o := v.options
	o.Version, o.Shard, o.Of = opened.Sum, opened.Shard, opened.Of
	h, err := newHandler(&oneIndex{x: opened.Searcher, own: opened.Searcher}, o, v.limits, "")
	if err != nil {
		return errors.Join(err, opened.Close())
	}
	one := &volume{Version: opened, handler: h}
	one.named.Store(int64(time.Since(begun)))
	v.warm(ctx, h.mux, opened.Sum) // which nobody counts or logs
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.open) > 0 {
		v.open[0].named.Store(int64(time.Since(begun))) // fronts have not heard of the new one yet
	}
	v.open = append([]*volume{one}, v.open...)
	return nil
}

// prefer makes an open version the one to serve, and reports whether there is one.
func (v *Versions) prefer(is func(*volume) bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := slices.IndexFunc(v.open, is)
	if i < 0 {
		return false
	}
	one := v.open[i]
	v.open = append([]*volume{one}, slices.Delete(v.open, i, i+1)...)
	return true
}

// room makes room for one more version, and reports whether there is some. Of two versions it closes
// one that no front uses.
func (v *Versions) room() bool {
	v.mu.Lock()
	var out *volume
	if len(v.open) == mostVolumes {
		i := mostVolumes - 1
		for i >= 0 && v.inUse(v.open[i]) {
			i--
		}
		if i < 0 {
			v.mu.Unlock()
			return false
		}
		out, v.open = v.open[i], slices.Delete(slices.Clone(v.open), i, i+1)
	}
	v.mu.Unlock()
	if out != nil {
		_ = out.close() // of files that were read
	}
	return true
}

// release closes the version before once no front uses it.
func (v *Versions) release() error {
	v.mu.Lock()
	var out *volume
	if n := len(v.open); n == mostVolumes && !v.inUse(v.open[n-1]) {
		out, v.open = v.open[n-1], slices.Clone(v.open[:n-1])
	}
	v.mu.Unlock()
	if out == nil {
		return nil
	}
	return out.close()
}

// inUse reports whether a front has named the version a short while ago.
func (v *Versions) inUse(one *volume) bool {
	return time.Since(begun)-time.Duration(one.named.Load()) < v.lease
}

// close closes a version that is no longer in the list, after the requests that use it.
func (one *volume) close() error {
	one.use.Lock()
	defer one.use.Unlock()
	return one.Close()
}

// Close closes the versions after the requests that use them. It is called once, at the end.
func (v *Versions) Close() error {
	v.mu.Lock()
	list := v.open
	v.mu.Unlock()
	var errs []error
	for _, one := range list {
		errs = append(errs, one.close())
	}
	return errors.Join(errs...)
}
