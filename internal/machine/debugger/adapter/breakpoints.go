package adapter

import (
	"context"
	"fmt"
	"os"

	"github.com/google/go-dap"
)

// findingFilter is the exception filter for what the checks find.
const findingFilter = "finding"

// mostBreakpoints is how many breakpoints there may be.
const mostBreakpoints = 1000

// setBreakpoints replaces the breakpoints of a file.
func (v *server) setBreakpoints(ctx context.Context, req *dap.SetBreakpointsRequest) error {
	path, asked := req.Arguments.Source.Path, req.Arguments.Breakpoints
	n := len(asked)
	for p, ids := range v.breaks {
		if p != path {
			n += len(ids)
		}
	}
	if n > mostBreakpoints {
		return fmt.Errorf("%d breakpoints are too many; want at most %d", n, mostBreakpoints)
	}
	for _, id := range v.breaks[path] {
		v.debug.Do(ctx, fmt.Sprint("delete ", id)) // the user may have deleted it
	}
	delete(v.breaks, path)
	delete(v.elsewhere, path)
	file, known := v.file(path)
	to := &dap.SetBreakpointsResponse{Body: dap.SetBreakpointsResponseBody{Breakpoints: []dap.Breakpoint{}}}
	for _, b := range asked {
		set := dap.Breakpoint{Line: b.Line, Source: &dap.Source{Path: path}}
		if !known {
			set.Message = "no instruction of the kernel is of this file"
			v.elsewhere[path] = append(v.elsewhere[path], b)
		} else if err := v.breakAt(file, &b, &set); err != nil {
			set.Message = err.Error()
		} else {
			v.breaks[path] = append(v.breaks[path], set.Id)
		}
		to.Body.Breakpoints = append(to.Body.Breakpoints, set)
	}
	v.said.take()
	v.wire.answer(req, to)
	return nil
}

// again sets the breakpoints of files that kernels before were not of.
func (v *server) again() {
	for path, asked := range v.elsewhere {
		file, known := v.file(path)
		if !known {
			continue
		}
		delete(v.elsewhere, path)
		for _, b := range asked {
			set := dap.Breakpoint{Source: &dap.Source{Path: path}}
			if v.breakAt(file, &b, &set) == nil {
				v.breaks[path] = append(v.breaks[path], set.Id)
				v.wire.event("breakpoint", &dap.BreakpointEvent{Body: dap.BreakpointEventBody{Reason: "new", Breakpoint: set}})
			}
		}
	}
	v.said.take()
}

// breakAt sets a breakpoint.
func (v *server) breakAt(file string, b *dap.SourceBreakpoint, set *dap.Breakpoint) error {
	if b.HitCondition != "" || b.LogMessage != "" {
		return fmt.Errorf("hit counts and log messages are not supported")
	}
	id, line, err := v.debug.Break(file, b.Line, b.Condition)
	if err != nil && b.Condition != "" {
		err = fmt.Errorf("%w (a condition says which threads: block 1 thread 5)", err)
	}
	set.Id, set.Verified = id, err == nil
	if err == nil {
		set.Line = line
	}
	return err
}

// file is the name in PTX of a file on disk, "" for the PTX itself.
func (v *server) file(path string) (name string, ok bool) {
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	is := func(other string) bool {
		if other == "" {
			return false
		}
		there, err := os.Stat(other)
		return err == nil && os.SameFile(info, there)
	}
	for _, f := range v.debug.Files() {
		if is(v.target.Path(f)) {
			return f, true
		}
	}
	return "", is(v.target.PTX)
}

func (v *server) setExceptionBreakpoints(req *dap.SetExceptionBreakpointsRequest) error {
	on := false
	for _, f := range req.Arguments.Filters {
		if f != findingFilter {
			return fmt.Errorf("there is no exception filter %.40q; there is %s", f, findingFilter)
		}
		on = true
	}
	v.debug.Catch(on)
	v.wire.answer(req, &dap.SetExceptionBreakpointsResponse{})
	return nil
}
