package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/tools/cli"
)

var updatePages = flag.Bool("update-debug", false, "rewrite the sessions of docs/debug.md")

// TestDebugPage runs the sessions of docs/debug.md, each a command line and what is typed, and holds the
// page to what the debugger says. Not parallel: the sessions run in the folder of the module.
func TestDebugPage(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	page := filepath.Join("docs", "debug.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "```console\n")
	if len(parts) < 4 {
		t.Fatalf("%s has %d sessions", page, len(parts)-1)
	}
	for i, part := range parts[1:] {
		session, rest, _ := strings.Cut(part, "```\n")
		parts[i+1] = runSession(t, session) + "```\n" + rest
	}
	got := strings.Join(parts, "```console\n")
	switch {
	case got == string(text):
	case *updatePages:
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the debugger says (-update-debug rewrites it):\n%s", page, got)
	}
}

// runSession runs a session with the commands in it, and returns it as it is now.
func runSession(t *testing.T, session string) string {
	t.Helper()
	first, rest, _ := strings.Cut(session, "\n")
	var typed []string
	for line := range strings.Lines(rest) {
		if command, ok := strings.CutPrefix(line, "> "); ok {
			typed = append(typed, command)
		}
	}
	command := newRoot()
	command.SetIn(strings.NewReader(strings.Join(typed, "")))
	var out, errs strings.Builder
	args := strings.Fields(strings.TrimPrefix(first, "$ gridstride "))
	if status := cli.Run(command, args, &out, &errs, printError); status != 0 {
		t.Errorf("%s: status %d\n%s%s", first, status, &out, &errs)
	}
	return first + "\n" + out.String()
}
