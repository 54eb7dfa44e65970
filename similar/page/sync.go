package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// A Synced counts the documents of a sync.
type Synced struct {
	New       int `json:"new"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Deleted   int `json:"deleted"`
	Hidden    int `json:"hidden"`  // documents with the id of another one, which is in the index
	Skipped   int `json:"skipped"` // files and records that could not be read
	Foreign   int `json:"foreign"` // files of a form that is not read
	Documents int `json:"documents"`
}

// SyncState says how the sync of an index goes that runs now, or how the last one went.
type SyncState struct {
	Running bool    `json:"running"`
	Started string  `json:"started,omitempty"` // as of RFC 3339; empty where none has been asked for
	Seconds float64 `json:"seconds"`           // that it has run
	Error   string  `json:"error,omitempty"`   // why it failed; the index is as it was
	Report  *Synced `json:"report,omitempty"`  // nil until it has ended well
}

// syncs are the syncs of a site: one runs at a time.
type syncs struct {
	life    context.Context // until the site is closed
	end     context.CancelFunc
	working sync.WaitGroup

	mu      sync.Mutex
	running *shelf // that is synced; nil if none is
}

func newSyncs() *syncs {
	s := &syncs{}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// stop ends the sync that runs, and lets none begin.
func (s *syncs) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}

// close stops syncs, and waits for their end.
func (s *syncs) close() {
	s.stop()
	s.working.Wait()
}

// stopping is a handler whose requests may take long. Serve tells it that the server stops.
type stopping interface{ stop() }

func (s *Site) stop() { s.syncs.stop() }

// A syncRun is one sync of an index.
type syncRun struct {
	started time.Time
	done    chan struct{} // closed at the end, when the others are there
	took    time.Duration
	report  Synced
	err     error
}

func (r *syncRun) state() *SyncState {
	s := &SyncState{Started: r.started.UTC().Format(time.RFC3339), Running: true, Seconds: time.Since(r.started).Seconds()}
	select {
	case <-r.done:
		s.Running, s.Seconds = false, r.took.Seconds()
		if r.err != nil {
			s.Error = r.err.Error()
		} else {
			s.Report = &r.report
		}
	default:
	}
	return s
}

// startSync starts a sync of a shelf.
func (s *Site) startSync(sh *shelf) (*syncRun, error) {
	s.syncs.mu.Lock()
	defer s.syncs.mu.Unlock()
	if now := s.syncs.running; now != nil {
		return nil, &statusError{status: http.StatusConflict, err: fmt.Errorf("a sync of %s is running; wait until it ends", now.Name)}
	}
	if s.syncs.life.Err() != nil {
		return nil, &statusError{status: http.StatusServiceUnavailable, err: errors.New("the server is stopping")}
	}
	run := &syncRun{started: time.Now(), done: make(chan struct{})}
	s.syncs.running = sh
	sh.synced.Store(run)
	s.syncs.working.Go(func() {
		run.report, run.err = s.options.Sync(s.syncs.life, sh.Dir)
		if run.err == nil {
			run.err = s.refresh(s.syncs.life, sh)
		}
		run.took = time.Since(run.started)
		s.syncs.mu.Lock()
		s.syncs.running = nil
		s.syncs.mu.Unlock()
		close(run.done)
	})
	return run, nil
}

// sync starts a sync, and waits for its end or the request's.
func (h *Handler) sync(ctx context.Context, _ *http.Request, _ *request) (any, error) {
	if h.startSync == nil {
		return nil, errNoSync
	}
	run, err := h.startSync()
	if err != nil {
		return nil, err
	}
	select {
	case <-run.done:
	case <-ctx.Done():
	}
	return run.state(), nil
}

var errNoSync = &statusError{status: http.StatusForbidden, err: errors.New("this server does not sync")}

// syncState says how the last sync goes or went.
func (h *Handler) syncState(context.Context, *http.Request, *request) (any, error) {
	if h.startSync == nil {
		return nil, errNoSync
	}
	if run := h.lastSync(); run != nil {
		return run.state(), nil
	}
	return &SyncState{}, nil
}
