package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// A cost is how much work a request may be.
type cost int

const (
	free   cost = iota // no search
	words              // a search by a few words, or one document
	costly             // by documents, by a long text, with conditions, sorted by fields, without near-duplicates, or for many answers
	change             // of the index
)

// Up to this many answers and this many bytes of words, a request is a plain search.
const (
	plainHits  = 100
	plainQuery = 256
)

// cost is the cost of a search. The cost of one by documents grows with their lengths, and of one
// with conditions or sorted by fields with the number of documents that have a word.
func (r *request) cost() cost {
	if r.likes() || len(r.Where)+len(r.Sort) > 0 || r.Collapse > 0 || r.From+r.K > plainHits || len(r.Q) > plainQuery {
		return costly
	}
	return words
}

// most is the cost of a request to a path that has a cost by itself.
func (r *request) most(path cost) cost {
	if path == words {
		return r.cost()
	}
	return path
}

// A lane is a queue of requests of one cost: requests of another cost do not wait for them.
type lane struct {
	slots   chan struct{} // one for each request that runs
	most    int64         // requests that may wait
	waiting atomic.Int64
	took    atomic.Int64 // nanoseconds that a request runs, the mean of the last ones
}

func newLane(runs, waits int) *lane {
	return &lane{slots: make(chan struct{}, runs), most: int64(waits)}
}

// enter waits until a request may run. The function that it returns ends the request. A request
// that would wait longer than limit, or than its client does, is refused at once.
func (l *lane) enter(ctx context.Context, limit time.Duration) (leave func(), err error) {
	select {
	case l.slots <- struct{}{}:
		return l.run(), nil
	default:
	}
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end))
	}
	n := l.waiting.Add(1)
	defer l.waiting.Add(-1)
	wait := time.Duration(n * l.took.Load() / int64(cap(l.slots)))
	if n > l.most || wait > limit {
		return nil, overload(wait, errors.New("too many searches wait: try again in a moment"))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case l.slots <- struct{}{}:
		return l.run(), nil
	case <-ctx.Done():
		return nil, overload(wait, fmt.Errorf("no search could begin in %v: try again in a moment", limit.Round(time.Millisecond)))
	}
}

// run measures how long a request runs.
func (l *lane) run() (leave func()) {
	start := time.Now()
	return func() {
		before := l.took.Load()
		l.took.Store(before + (int64(time.Since(start))-before)/8)
		<-l.slots
	}
}

// overload is the error of a server that has no room now, and may have some after a while.
func overload(after time.Duration, err error) error {
	return &statusError{status: http.StatusTooManyRequests, err: err, retry: after}
}

// busy is the error of a server that lacks what an answer needs, and may have it after a while.
func busy(after time.Duration, err error) error {
	return &statusError{status: http.StatusServiceUnavailable, err: err, retry: after}
}

// enter waits for the turn of a request.
func (l *limits) enter(ctx context.Context, c cost) (leave func(), err error) {
	switch c {
	case words:
		return l.plain.enter(ctx, l.timeout)
	case costly:
		return l.costly.enter(ctx, l.timeout)
	case change:
		return l.writes.enter(ctx, l.timeout)
	}
	return func() {}, nil
}
