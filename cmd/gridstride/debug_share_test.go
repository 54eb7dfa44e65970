package main

import (
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/argspec"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tour/link"
)

// debugTest runs commands in a debugger of tests, from the folder of the module.
func debugTest(t *testing.T, run, pkg string, commands ...string) (said string, status int) {
	t.Helper()
	command := newRoot()
	command.SetIn(strings.NewReader(strings.Join(commands, "\n") + "\n"))
	var out, errs strings.Builder
	status = cli.Run(command, []string{"debug", "--run", run, "../../" + pkg}, &out, &errs, printError)
	return out.String() + errs.String(), status
}

// TestDebugShare makes a link of a launch in which the checks find a race: it carries the PTX and what the
// test has in its buffers.
func TestDebugShare(t *testing.T) {
	t.Parallel()
	said, status := debugTest(t, "^TestBugs$/^SumNoBarrier$", "examples/hazards", "finding", "share", "quit")
	if status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	m := regexp.MustCompile(`\nhttp://localhost:\d+/try.html#p=([A-Za-z0-9_-]+)\n`).FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("no link: %s", said)
	}
	var p link.Program
	r := flate.NewReader(base64.NewDecoder(base64.RawURLEncoding, strings.NewReader(m[1])))
	if err := json.NewDecoder(r).Decode(&p); err != nil {
		t.Fatal(err)
	}
	l := p.Launch
	if l.Kernel != "SumNoBarrier" || !reflect.DeepEqual(l.Grid, []int{2, 1, 1}) || !reflect.DeepEqual(l.Block, []int{64, 1, 1}) || len(l.Args) != 2 ||
		!strings.HasPrefix(l.Args[0], "s32[") || !strings.Contains(l.Args[0], "=1,2,3,4,") || l.Args[1] != "s32[2]" {
		t.Errorf("the launch is %+v", l)
	}
	for _, a := range l.Args {
		if _, err := argspec.Parse(a, argspec.NoFiles); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
	if !strings.Contains(p.Text, ".entry SumNoBarrier") {
		t.Error("the text is not the kernel's PTX")
	}
}

// TestDebugTests ends in all ways: a launch that there is not, a share that is too large, no launch, a
// command that there is not, a kernel by its name.
func TestDebugTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		run      string
		commands []string
		want     string
		status   int
	}{
		{"^TestKernel$", []string{"launch 99"}, "the program has ended after 24 launches; there was no launch 99", 0},
		{"^TestKernel$", []string{"launch Other"}, "none of the last was of Other", 0},
		{"^TestKernel$", []string{"launch finding"}, "the checks found nothing in the last", 0},
		{"^TestKernel$", []string{"launch Partial[float32]", "quit"}, "launch 2: main.Partial[float32]", 0},
		{"^TestKernel$", []string{"launch 22", "share"}, "share: argument a: its 5000 elements are no ramp", 1},
		{"^TestKernel$", []string{"launch 1 2"}, "launch takes a number", 1},
		{"^NoSuchTest$", []string{"quit"}, "no kernel was launched on a simulated device", 1},
	} {
		if said, status := debugTest(t, c.run, "examples/dot", c.commands...); status != c.status || !strings.Contains(said, c.want) {
			t.Errorf("%s %q: status %d, want %d, and %q in\n%s", c.run, c.commands, status, c.status, c.want, said)
		}
	}
}
