package scatter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Call is a question to a shard. It changes nothing, so several servers may get it.
type Call struct {
	Path  string
	Query string // of the address
	Body  []byte
	// Trace and TraceState are the headers Traceparent and Tracestate.
	Trace, TraceState string
	// Absent allows the status 404: the shard does not have the document. Otherwise it is no answer.
	Absent bool
	// Decode reads an answer. If it returns an error, the server's answer is none. It may be called
	// by several goroutines.
	Decode func([]byte) (any, error)
}

// Refused is the error of a call that a shard understands and does not answer.
type Refused struct {
	Status  int // of HTTP
	Message string
	Body    []byte
}

func (e *Refused) Error() string { return e.Message }

// Busy is the error of a shard whose servers have no room.
type Busy struct{ Retry time.Duration }

func (e *Busy) Error() string { return "the shard's servers have no room: try again in a moment" }

var (
	// ErrVersion is the error of a shard whose servers have other versions.
	ErrVersion = errors.New("the shard has another version")
	// ErrDown is the error of a shard none of whose servers answers.
	ErrDown = errors.New("the shard does not answer")
)

// Of every 20 calls one may be hedged, and mostTokens at once.
const (
	hedged     = 0.05
	mostTokens = 10
)

// takeToken reports whether a call may be hedged.
func (c *Cluster) takeToken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tokens < 1 {
		return false
	}
	c.tokens--
	return true
}

// Ask asks a shard, and returns what Decode made of its answer. Errors: *Refused, *Busy,
// ErrVersion, ErrDown and the context's.
func (c *Cluster) Ask(ctx context.Context, version string, number int, call *Call) (any, error) {
	c.mu.Lock()
	c.tokens = min(mostTokens, c.tokens+hedged)
	c.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &asking{c: c, s: c.shards[number], version: version, call: call, results: make(chan result, maxReplicas)}
	begun := time.Now()
	if !a.start(ctx) {
		return nil, a.nobody()
	}
	hedge, stuck := a.s.waits()
	hedging, giving := time.NewTimer(hedge), time.NewTimer(stuck)
	defer hedging.Stop()
	defer giving.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-hedging.C:
			if len(a.tried) == 1 && a.s.pickable(version, a.tried) && c.takeToken() {
				a.s.slow(a.tried[0], time.Since(begun), false)
				a.start(ctx)
			}
		case <-giving.C:
			for _, r := range a.tried {
				a.s.slow(r, time.Since(begun), true)
			}
			if a.start(ctx) {
				giving.Reset(stuck)
			}
		case r := <-a.results:
			if r.err == nil {
				a.s.note(time.Since(begun))
				return r.value, nil
			}
			if _, refused := errors.AsType[*Refused](r.err); refused {
				return nil, r.err
			}
			a.last = worse(a.last, r.err)
			if a.running--; !a.start(ctx) && a.running == 0 {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				return nil, a.nobody()
			}
		}
	}
}

// An asking is the attempts of one call.
type asking struct {
	c       *Cluster
	s       *shard
	version string
	call    *Call
	results chan result
	tried   []*replica
	running int
	last    error
}

type result struct {
	value any
	err   error
}

// worse returns the error to report of two: that a server has no room is more than that one fails.
func worse(a, b error) error {
	if _, busy := errors.AsType[*Busy](a); busy {
		return a
	}
	return b
}

// nobody is the error of a shard that has no more servers to ask.
func (a *asking) nobody() error {
	if _, busy := errors.AsType[*Busy](a.last); busy {
		return a.last
	}
	if a.s.others(a.version) {
		return ErrVersion
	}
	return ErrDown
}

// pickable reports whether there is a replica that was not tried.
func (s *shard) pickable(version string, tried []*replica) bool {
	r := s.pick(version, tried)
	if r != nil {
		s.failed(r, false)
	}
	return r != nil
}

// start asks one more replica, if there is one.
func (a *asking) start(ctx context.Context) bool {
	r := a.s.pick(a.version, a.tried)
	if r == nil {
		return false
	}
	hedge := len(a.tried) > 0
	a.tried = append(a.tried, r)
	a.running++
	go func() {
		value, err := a.attempt(ctx, r, hedge)
		a.results <- result{value, err}
	}()
	return true
}

// attempt asks a replica, and notes how it went.
func (a *asking) attempt(ctx context.Context, r *replica, hedge bool) (any, error) {
	begun := time.Now()
	value, size, err := a.c.send(ctx, r.url, a.version, a.call)
	took, kind := time.Since(begun), "ok"
	var version *otherVersion
	switch {
	case err == nil:
		a.s.answered(r, took)
	case ctx.Err() != nil:
		kind = "dropped"
		a.s.failed(r, false)
	case errors.As(err, &version):
		kind = "version"
		status, err := a.c.statusOf(ctx, a.s.number, r.url)
		if ctx.Err() == nil {
			a.s.saw(r, status, err)
		}
		a.s.failed(r, false)
	default:
		_, busy := errors.AsType[*Busy](err)
		_, refused := errors.AsType[*Refused](err)
		switch {
		case busy:
			kind = "busy"
		case refused:
			kind = "refused"
		default:
			kind = "failed"
		}
		a.s.failed(r, kind == "failed")
	}
	if a.c.options.Observe != nil {
		a.c.options.Observe(Attempt{a.s.number, r.url, a.call.Path, took, size, hedge, kind})
	}
	return value, err
}

// otherVersion is the error of a server that has another version than the one it was asked for.
type otherVersion struct{ has string }

func (e *otherVersion) Error() string { return "it has the version " + e.has }

// send asks one server.
func (c *Cluster) send(ctx context.Context, url, version string, call *Call) (value any, size int, err error) {
	address := url + call.Path
	if call.Query != "" {
		address += "?" + call.Query
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(call.Body))
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header["Idempotency-Key"] = nil // sent again, without the header, where an idle connection was closed meanwhile
	req.Header.Set(VersionHeader, version)
	if call.Trace != "" {
		req.Header.Set(TraceHeader, call.Trace)
	}
	if call.TraceState != "" {
		req.Header.Set(TraceStateHeader, call.TraceState)
	}
	if end, ok := ctx.Deadline(); ok {
		req.Header.Set(TimeoutHeader, strconv.FormatInt(max(1, time.Until(end).Milliseconds()), 10))
	}
	resp, err := c.options.HTTP.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, c.options.MaxAnswer+1))
	if err != nil {
		return nil, len(text), err
	}
	if int64(len(text)) > c.options.MaxAnswer {
		return nil, len(text), fmt.Errorf("its answer has more than %d bytes", c.options.MaxAnswer)
	}
	if err := c.judge(resp, text, version, call); err != nil {
		return nil, len(text), err
	}
	value, err = call.Decode(text)
	return value, len(text), err
}

// refusals are the statuses with which a server of a shard refuses what it understands.
var refusals = []int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity,
	http.StatusPreconditionRequired, http.StatusNotImplemented,
}

// judge returns the error that an answer is.
func (c *Cluster) judge(resp *http.Response, text []byte, version string, call *Call) error {
	has := resp.Header.Get(VersionHeader)
	switch {
	case has == "" || len(has) > 256:
		return fmt.Errorf("it answers as no server of a shard does, with the status %d", resp.StatusCode)
	case has != version:
		return &otherVersion{strings.Clone(has)}
	case resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 if it is missing
		return &Busy{time.Duration(min(max(seconds, 0), 60)) * time.Second}
	case resp.StatusCode == http.StatusOK:
		return nil
	case !slices.Contains(refusals, resp.StatusCode) || resp.StatusCode == http.StatusNotFound && !call.Absent:
		return fmt.Errorf("it answers with the status %d", resp.StatusCode)
	}
	var said struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(text, &said); err != nil || said.Error == "" {
		return fmt.Errorf("it answers with the status %d, and says not why", resp.StatusCode)
	}
	return &Refused{resp.StatusCode, said.Error, text}
}
