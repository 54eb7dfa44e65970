package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// pageBlock is the block of docs/debug.md in a language with a text in it.
func pageBlock(tb testing.TB, language, with string) string {
	tb.Helper()
	page, err := os.ReadFile("../../docs/debug.md")
	if err != nil {
		tb.Fatal(err)
	}
	for _, part := range strings.Split(string(page), "```"+language+"\n")[1:] {
		if block, _, _ := strings.Cut(part, "```"); strings.Contains(block, with) {
			return block
		}
	}
	tb.Fatalf("docs/debug.md has no %s with %s", language, with)
	return ""
}

// launchJSON is the configuration of the launch.json of docs/debug.md.
func launchJSON(tb testing.TB) map[string]any {
	tb.Helper()
	text := pageBlock(tb, "json", `"configurations"`)
	if n := strings.Count(text, "\n"); n > 12 {
		tb.Errorf("launch.json has %d lines, want at most 12", n)
	}
	var file struct{ Configurations []map[string]any }
	if err := json.Unmarshal([]byte(text), &file); err != nil || len(file.Configurations) != 1 {
		tb.Fatalf("%d configurations: %v", len(file.Configurations), err)
	}
	return file.Configurations[0]
}

// TestDAP launches with the launch.json of docs/debug.md, stops at a line for a thread, looks at what
// there is, and goes back.
func TestDAP(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.launch(launchJSON(t))
	file := filepath.Join(e.root, "examples", "dot", "kernel.go")
	var set dap.SetBreakpointsResponseBody
	e.ask("setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: file}, Breakpoints: []dap.SourceBreakpoint{
		{Line: 20, Condition: "block 1 thread 37"}, {Line: 2}, {Line: 99}, {Line: 21, Condition: "sum > 3"}, {Line: 21, LogMessage: "here"},
	}}, &set)
	if b := set.Breakpoints; len(b) != 5 || !b[0].Verified || b[0].Line != 21 || b[1].Verified || b[2].Verified || b[3].Verified || b[4].Verified ||
		!strings.Contains(b[1].Message, "the first line that has is 13") || !strings.Contains(b[3].Message, "which threads") {
		t.Errorf("breakpoints %+v", b)
	}
	e.ask("configurationDone", nil, nil)
	if _, at := e.stopped("entry"); at.Line != 13 || at.Source.Path != file {
		t.Errorf("entry at %+v", at)
	}
	e.ask("continue", dap.ContinueArguments{}, nil)
	stop, at := e.stopped("breakpoint")
	if at.Line != 21 || stop.HitBreakpointIds[0] != set.Breakpoints[0].Id {
		t.Errorf("%+v at %+v", stop, at)
	}
	lookAround(e, stop.ThreadId, at.Id)
	e.ask("stepBack", dap.StepBackArguments{ThreadId: stop.ThreadId}, nil)
	if _, at := e.stopped("step"); at.Line != 18 {
		t.Errorf("back at line %d, want 18", at.Line)
	}
	e.ask("next", dap.NextArguments{ThreadId: stop.ThreadId}, nil)
	if _, at := e.stopped("step"); at.Line != 21 {
		t.Errorf("next is line %d, want 21", at.Line)
	}
	e.ask("reverseContinue", dap.ReverseContinueArguments{}, nil)
	if _, at := e.stopped("entry"); at.Line != 13 {
		t.Errorf("the start is at %d", at.Line)
	}
	e.end()
}

// lookAround looks at the threads and values of thread 37 of block 1 at line 21 of Partial.
func lookAround(e *editor, thread, frame int) {
	e.Helper()
	var threads dap.ThreadsResponseBody
	e.ask("threads", nil, &threads)
	name := ""
	for _, w := range threads.Threads {
		if w.Id == thread {
			name = w.Name
		}
	}
	if name != "block 1 warp 1" {
		e.Errorf("thread %d is %q of %v", thread, name, threads.Threads)
	}
	if v := e.scope(frame, "Lane variables")["sum"]; v.Value != "1098" {
		e.Errorf("sum is %+v", v)
	}
	if v := e.scope(frame, "Lane variables", "sum")["lane  5"]; v.Value != "1098" {
		e.Errorf("sum in lane 5 is %+v", v)
	}
	if v := e.scope(frame, "Registers")["%r2"]; !strings.Contains(v.Value, "37 (0x25)") {
		e.Errorf("%%r2 is %+v", v)
	}
	if v := e.scope(frame, "Arguments")["c"]; !strings.HasPrefix(v.Value, "8 bytes at 0x") {
		e.Errorf("c is %+v", v)
	}
	cache := e.scope(frame, "Shared memory")["cache"]
	if cache.IndexedVariables != 256 || cache.NamedVariables != 0 {
		e.Errorf("cache is %+v", cache)
	}
	a := e.scope(frame, "Global buffers")["a"]
	page := e.parts(dap.VariablesArguments{VariablesReference: a.VariablesReference, Filter: "indexed", Start: 290, Count: 5})
	if v := page["[293]"]; len(page) != 5 || v.Value != "293" || v.EvaluateName == "[293]" {
		e.Errorf("a is %+v: %v", a, page)
	}
	for expression, want := range map[string]string{"a[293]": "293", "sum": "1098", "a_len": "1000 (0x3e8)"} {
		var got dap.EvaluateResponseBody
		if e.ask("evaluate", dap.EvaluateArguments{Expression: expression, FrameId: frame, Context: "watch"}, &got); got.Result != want {
			e.Errorf("%s is %+v, want %s", expression, got, want)
		}
	}
	e.refused("evaluate", dap.EvaluateArguments{Expression: "nothing", FrameId: frame, Context: "hover"}, "there is no nothing here")
}

// TestDAPFinding stops at a race, and goes to its other side by a command in the console.
func TestDAPFinding(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.launch(map[string]any{"cwd": "${workspaceFolder}/examples", "package": "./hazards", "kernel": "SumNoBarrier", "args": []string{"s32[64]=ramp", "s32[1]"}})
	e.ask("setExceptionBreakpoints", dap.SetExceptionBreakpointsArguments{Filters: []string{"finding"}}, nil)
	e.ask("configurationDone", nil, nil)
	_, at := e.stopped("exception")
	var info dap.ExceptionInfoResponseBody
	e.ask("exceptionInfo", dap.ExceptionInfoArguments{}, &info)
	if at.Line != 21 || !strings.Contains(info.Description, "RACE  write/read") || !strings.Contains(info.Description, "gpu.SyncThreads() between") {
		t.Errorf("%+v at %+v", info, at)
	}
	var said dap.EvaluateResponseBody
	e.ask("evaluate", dap.EvaluateArguments{Expression: "other", Context: "repl", FrameId: at.Id}, &said)
	if _, at := e.stopped("goto"); at.Line != 25 || !strings.Contains(said.Result, "the other side") {
		t.Errorf("%s: at %+v", said.Result, at)
	}
	e.ask("continue", nil, nil)
	e.stopped("exception")
	e.ask("continue", nil, nil)
	if stop, at := e.stopped("end"); at.Source != nil || !strings.Contains(stop.Text, "the launch has ended") {
		t.Errorf("the end is %+v, %+v", stop, at)
	}
	e.ask("reverseContinue", nil, nil)
	e.stopped("exception")
	e.ask("continue", nil, nil)
	e.stopped("end")
	e.ask("continue", nil, nil)
	if code := e.event("exited").(*dap.ExitedEvent).Body.ExitCode; code != 0 {
		t.Errorf("exit code %d", code)
	}
	e.event("terminated")
	e.refused("continue", nil, "the launch is over")
	e.end()
}

// configuration is the configuration of docs/debug.md with a text in it.
func configuration(tb testing.TB, with string) (c map[string]any) {
	tb.Helper()
	if err := json.Unmarshal([]byte(pageBlock(tb, "json", with)), &c); err != nil {
		tb.Fatal(err)
	}
	return c
}
