package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// TestDAPTests debugs the launches of a test: breakpoints stay from one to the next, a launch in which
// nothing stops does not stop, and the console goes on to a launch.
func TestDAPTests(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.launch(testJSON(t))
	file := filepath.Join(e.root, "examples", "dot", "kernel.go")
	var set dap.SetBreakpointsResponseBody
	e.ask("setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: file}, Breakpoints: []dap.SourceBreakpoint{
		{Line: 21, Condition: "block 0 thread 3"},
	}}, &set)
	e.ask("configurationDone", nil, nil)
	for launch := range 3 {
		stop, at := e.stopped("breakpoint")
		if at.Line != 21 || stop.HitBreakpointIds[0] != set.Breakpoints[0].Id {
			t.Errorf("launch %d: %+v at %+v", launch, stop, at)
		}
		e.ask("continue", dap.ContinueArguments{}, nil)
	}
	e.stopped("breakpoint")
	var said dap.EvaluateResponseBody
	e.ask("evaluate", dap.EvaluateArguments{Expression: "launch 23", Context: "repl"}, &said)
	stop, at := e.stopped("breakpoint")
	if sum := e.scope(at.Id, "Lane variables")["sum"]; sum.Value == "0" || sum.Value == "" || at.Line != 21 {
		t.Errorf("in launch 23 sum is %+v at line %d", sum, at.Line)
	}
	e.ask("stepBack", dap.StepBackArguments{ThreadId: stop.ThreadId}, nil)
	if _, at := e.stopped("step"); at.Line != 18 {
		t.Errorf("back at line %d, want 18", at.Line)
	}
	e.ask("setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: file}}, nil)
	e.ask("continue", dap.ContinueArguments{}, nil)
	if code := e.event("exited").(*dap.ExitedEvent).Body.ExitCode; code != 0 {
		t.Errorf("exit code %d", code)
	}
	e.event("terminated")
	e.end()
}

// TestDAPTestsEnd disconnects from a test that waits, and launches what there is not.
func TestDAPTestsEnd(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	c := testJSON(t)
	c["stopOnEntry"] = true
	e.launch(c)
	e.ask("configurationDone", nil, nil)
	e.stopped("entry")
	e.end()
	for name, c := range map[string]map[string]any{
		"no kernel was launched": {"test": "NoSuchTest", "package": "./examples/dot"},
		"directory not found":    {"test": "Test", "package": "./nosuch"},
		"want a folder":          {"test": "Test", "package": "-exec=x"},
		"and not both":           {"test": "Test", "ptx": "x.ptx"},
	} {
		e := newEditor(t)
		c["cwd"] = e.root
		e.ask("initialize", map[string]any{"adapterID": "gridstride"}, nil)
		m, ok := e.answer(e.send("launch", c)).(*dap.ErrorResponse)
		if !ok || !strings.Contains(m.Message, name) && !strings.Contains(m.Message, "exit status 1") {
			t.Errorf("%s: %+v", name, m)
		}
		e.end()
	}
}

// testJSON is the configuration of docs/debug.md for a test.
func testJSON(tb testing.TB) map[string]any { return configuration(tb, `"test":`) }
