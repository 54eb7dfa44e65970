// Package adapter is the debugger for editors: it speaks the Debug Adapter Protocol
// (https://microsoft.github.io/debug-adapter-protocol) with them.
//
// The threads of the protocol are warps. What is said of a warp is of one lane of it: the one in view,
// or the first that runs.
//
//	adapter wire         a client's session: requests in, answers and events out, pauses
//	launch breakpoints   the kernel to debug, and the lines to stop at
//	run                  forth and back, and the events that say where the kernel has stopped
//	stack variables      where the warps are, and the values there
package adapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/google/go-dap"
	"github.com/gridstride/gridstride/internal/machine/debugger"
)

// mostWaiting is how many requests may wait while one is answered.
const mostWaiting = 64

var (
	errPaused = errors.New("paused")
	errGone   = errors.New("the client has gone")
)

// server is the session of a client.
type server struct {
	open     Open
	wire     *wire
	requests chan dap.RequestMessage // closed when the client says no more
	lost     error                   // why, once it is closed
	done     <-chan struct{}         // closed when all is to end

	mu      sync.Mutex
	cancel  context.CancelCauseFunc // of the run under way; nil if there is none
	waiting int                     // runs that wait or are under way
	pause   bool                    // the next of them is to pause at once

	// One goroutine alone uses what follows.
	gone    bool // the client wants no more
	over    bool // the launch is
	left    bool // the program is to go on to its next launch
	failed  bool // the program has
	stops   *debugger.Stops
	launch  Launch
	target  Target
	debug   *debugger.Session // nil before the launch
	said    saying
	frames  []call            // by number, from 1
	refs    []reference       // by number, from 1
	numbers map[reference]int // of refs
	breaks  map[string][]int  // the numbers of breakpoints, by the path of their file
	// elsewhere are breakpoints in files that no kernel so far was of.
	elsewhere map[string][]dap.SourceBreakpoint
}

// Serve answers the requests of a client until it disconnects or says no more, or ctx ends. The error is
// of a message that makes no sense and cannot be answered, or ctx's cause. Reading from in may go on after
// Serve has returned, until in ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, open Open) error {
	v := &server{open: open, wire: newWire(in, out), requests: make(chan dap.RequestMessage, mostWaiting), breaks: map[string][]int{},
		elsewhere: map[string][]dap.SourceBreakpoint{}, done: ctx.Done()}
	v.forget()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go v.read(inner, cancel)
	err := v.serve(inner, func() bool { return false })
	switch {
	case v.gone:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return errors.Join(err, v.lost)
}

// read reads requests. Those that stop a run act at once.
func (v *server) read(ctx context.Context, cancel context.CancelCauseFunc) {
	defer cancel(errGone)
	defer close(v.requests)
	for {
		req, err := v.wire.read()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				v.lost = fmt.Errorf("the client sends what is no request: %w", err)
			}
			return
		}
		last := false
		switch req := req.(type) {
		case nil: // no request
			continue
		case *dap.PauseRequest:
			v.answerPause(req)
			continue
		case *dap.TerminateRequest:
			v.interrupt()
		case *dap.DisconnectRequest:
			cancel(errGone)
			last = true
		}
		if !v.enqueue(ctx, req, last) || last {
			return
		}
	}
}

// enqueue lets a request wait. It reports whether to go on.
func (v *server) enqueue(ctx context.Context, req dap.RequestMessage, last bool) bool {
	if last { // the requests before it end soon, as the context has
		select {
		case v.requests <- req:
		case <-v.done:
		}
		return false
	}
	v.wait(req, 1)
	select {
	case v.requests <- req:
	case <-ctx.Done():
		return false
	default:
		v.wait(req, -1)
		v.wire.refuse(req, fmt.Errorf("%d requests are waiting already", mostWaiting), false)
	}
	return true
}

// serve answers requests until the client has gone, or left.
func (v *server) serve(ctx context.Context, left func() bool) error {
	for !v.gone && !left() {
		select {
		case req, ok := <-v.requests:
			if !ok {
				return nil
			}
			v.handle(ctx, req)
			v.wait(req, -1)
		case <-v.done:
			return nil
		}
	}
	return nil
}

// handle answers a request.
func (v *server) handle(ctx context.Context, req dap.RequestMessage) {
	var err error
	switch req := req.(type) {
	case *dap.InitializeRequest:
		err = v.initialize(req)
	case *dap.LaunchRequest:
		err = v.start(ctx, req)
	case *dap.DisconnectRequest:
		v.gone = true
		v.wire.answer(req, &dap.DisconnectResponse{})
	case *dap.TerminateRequest:
		v.wire.answer(req, &dap.TerminateResponse{})
		v.finish()
	default:
		switch {
		case v.debug == nil:
			err = errors.New("nothing is launched yet")
		case v.over:
			err = errors.New("the launch is over")
		default:
			err = v.ask(ctx, req)
		}
	}
	if err != nil {
		_, launch := req.(*dap.LaunchRequest)
		v.wire.refuse(req, err, launch)
	}
}

// ask answers a request about what has been launched.
func (v *server) ask(ctx context.Context, req dap.RequestMessage) error {
	switch req := req.(type) {
	case *dap.SetBreakpointsRequest:
		return v.setBreakpoints(ctx, req)
	case *dap.SetExceptionBreakpointsRequest:
		return v.setExceptionBreakpoints(req)
	case *dap.ThreadsRequest:
		return v.threads(req)
	case *dap.StackTraceRequest:
		return v.stackTrace(req)
	case *dap.ScopesRequest:
		return v.scopes(req)
	case *dap.VariablesRequest:
		return v.variables(req)
	case *dap.EvaluateRequest:
		return v.evaluate(ctx, req)
	case *dap.ExceptionInfoRequest:
		return v.exceptionInfo(req)
	}
	return v.run(ctx, req)
}

// capabilities say what the adapter can.
func capabilities() dap.Capabilities {
	return dap.Capabilities{
		SupportsConfigurationDoneRequest: true,
		SupportsConditionalBreakpoints:   true,
		SupportsEvaluateForHovers:        true,
		SupportsStepBack:                 true,
		SupportsSteppingGranularity:      true,
		SupportsExceptionInfoRequest:     true,
		SupportsTerminateRequest:         true,
		ExceptionBreakpointFilters: []dap.ExceptionBreakpointsFilter{{
			Filter: findingFilter, Label: "First finding of the checks",
			Description: "Stop at the first race, bad access, read of unset memory or wrong barrier",
		}},
	}
}

func (v *server) initialize(req *dap.InitializeRequest) error {
	if f := req.Arguments.PathFormat; f != "" && f != "path" {
		return fmt.Errorf("pathFormat is %q; want path", f)
	}
	v.wire.answer(req, &dap.InitializeResponse{Body: capabilities()})
	return nil
}

// isRun reports whether a request may run the kernel.
func isRun(req dap.RequestMessage) bool {
	return slices.Contains(runs, req.GetRequest().Command)
}

var runs = []string{"configurationDone", "continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "evaluate"}

// wait counts the runs that wait.
func (v *server) wait(req dap.RequestMessage, by int) {
	if isRun(req) {
		v.mu.Lock()
		if v.waiting += by; v.waiting == 0 {
			v.pause = false
		}
		v.mu.Unlock()
	}
}

// interrupt pauses the run under way, or the next that waits. It reports whether there is one.
func (v *server) interrupt() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.cancel != nil:
		v.cancel(errPaused)
	case v.waiting > 0:
		v.pause = true
	default:
		return false
	}
	return true
}

func (v *server) answerPause(req *dap.PauseRequest) {
	if !v.interrupt() {
		v.wire.refuse(req, errors.New("nothing runs"), false)
		return
	}
	v.wire.answer(req, &dap.PauseResponse{})
}

// while does something that a pause ends.
func (v *server) while(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	set := func(c context.CancelCauseFunc) {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.cancel = c; c != nil && v.pause {
			c(errPaused)
		}
		v.pause = false
	}
	set(cancel)
	defer set(nil)
	return do(ctx)
}
