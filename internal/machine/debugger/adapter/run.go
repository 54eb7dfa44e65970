package adapter

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-dap"
	"github.com/gridstride/gridstride/internal/machine/debugger"
)

// run answers a request that lets the kernel run.
func (v *server) run(ctx context.Context, req dap.RequestMessage) error {
	switch req := req.(type) {
	case *dap.ConfigurationDoneRequest:
		v.wire.answer(req, &dap.ConfigurationDoneResponse{})
		v.begin(ctx)
	case *dap.ContinueRequest:
		v.wire.answer(req, &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: true}})
		if v.debug.Position().Ended {
			v.leave()
			return nil
		}
		v.proceed(ctx)
	case *dap.ReverseContinueRequest:
		v.wire.answer(req, &dap.ReverseContinueResponse{})
		v.command(ctx, "reverse")
	case *dap.NextRequest:
		a := &req.Arguments
		return v.step(ctx, req, &dap.NextResponse{}, a.ThreadId, step{debugger.Over, a.Granularity, false})
	case *dap.StepInRequest:
		a := &req.Arguments
		return v.step(ctx, req, &dap.StepInResponse{}, a.ThreadId, step{debugger.Into, a.Granularity, false})
	case *dap.StepOutRequest:
		a := &req.Arguments
		return v.step(ctx, req, &dap.StepOutResponse{}, a.ThreadId, step{debugger.Out, a.Granularity, false})
	case *dap.StepBackRequest:
		a := &req.Arguments
		return v.step(ctx, req, &dap.StepBackResponse{}, a.ThreadId, step{debugger.Over, a.Granularity, true})
	default:
		return fmt.Errorf("%.40s is not supported", req.GetRequest().Command)
	}
	return nil
}

// begin begins what has been launched.
func (v *server) begin(ctx context.Context) {
	switch {
	case v.launch.NoDebug:
		v.command(ctx, "goto end")
	case v.launch.StopOnEntry:
		v.stopped(debugger.Position{Reason: debugger.AtStart, Focus: v.debug.Position().Focus})
	default:
		v.proceed(ctx)
	}
}

// proceed runs the kernel. If it comes to its end, and nothing is wrong, the program goes on.
func (v *server) proceed(ctx context.Context) {
	v.move(ctx, v.doing("continue"), v.target.Settings.More)
}

// step is a step of a thread.
type step struct {
	debugger.Level
	granularity dap.SteppingGranularity
	back        bool
}

func (v *server) step(ctx context.Context, req dap.RequestMessage, to dap.ResponseMessage, thread int, how step) error {
	f, err := v.focus(thread)
	if err != nil {
		return err
	}
	v.wire.answer(req, to)
	v.move(ctx, func(ctx context.Context) error {
		if err := v.debug.Look(f); err != nil {
			return err
		}
		return v.debug.Step(ctx, how.Level, how.granularity == "instruction", how.back)
	}, false)
	return nil
}

// command does a command of the debugger that moves.
func (v *server) command(ctx context.Context, line string) {
	v.move(ctx, v.doing(line), false)
}

func (v *server) doing(line string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := v.debug.Do(ctx, line)
		return err
	}
}

// move runs the kernel, and tells the client where the kernel has stopped. onward says that a good end is
// no stop.
func (v *server) move(ctx context.Context, do func(context.Context) error, onward bool) {
	v.forget()
	err := v.while(ctx, do)
	v.said.take()
	if ctx.Err() != nil {
		return // the client has gone
	}
	p := v.debug.Position()
	switch {
	case err != nil && !errors.Is(err, errPaused):
		v.wire.output("console", err.Error()+"\n")
	case p.Ended && (v.launch.NoDebug || onward && err == nil && p.Err == nil && p.Reason != debugger.AtFinding):
		v.leave()
		return
	}
	v.stopped(p)
}

// stopReasons are the reasons of the protocol.
var stopReasons = map[debugger.Reason]string{
	debugger.AtStart: "entry", debugger.AtStep: "step", debugger.AtBreakpoint: "breakpoint", debugger.AtAccess: "data breakpoint",
	debugger.AtFault: "exception", debugger.AtFinding: "exception", debugger.AtEnd: "end", debugger.Interrupted: "pause", "": "goto",
}

// stopped says where the kernel has stopped.
func (v *server) stopped(p debugger.Position) {
	body := dap.StoppedEventBody{Reason: stopReasons[p.Reason], ThreadId: thread(p.Focus), AllThreadsStopped: true, Text: p.Text}
	if p.Stop != 0 {
		body.HitBreakpointIds = []int{p.Stop}
	}
	if p.Ended {
		body.Text = strings.TrimSpace(body.Text + "\n" + endText(p))
	}
	body.Description, _, _ = strings.Cut(body.Text, "\n")
	v.wire.event("stopped", &dap.StoppedEvent{Body: body})
}

func endText(p debugger.Position) string {
	if p.Err != nil {
		return "the launch has ended: " + p.Err.Error()
	}
	return "the launch has ended; step back, or continue to end the session"
}

// exceptionInfo says what was found.
func (v *server) exceptionInfo(req *dap.ExceptionInfoRequest) error {
	p := v.debug.Position()
	if stopReasons[p.Reason] != "exception" {
		return errors.New("nothing was found here")
	}
	body := dap.ExceptionInfoResponseBody{ExceptionId: string(p.Reason), Description: p.Text, BreakMode: "always"}
	v.wire.answer(req, &dap.ExceptionInfoResponse{Body: body})
	return nil
}

// finish says that the launch is over.
func (v *server) finish() {
	if v.over {
		return
	}
	v.over = true
	code := 0
	if v.failed || v.debug != nil && v.debug.Position().Err != nil {
		code = 1
	}
	v.wire.event("exited", &dap.ExitedEvent{Body: dap.ExitedEventBody{ExitCode: code}})
	v.wire.event("terminated", &dap.TerminatedEvent{})
}
