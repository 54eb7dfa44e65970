package freshness

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain is a process that TestWait starts, if it is told to be one.
func TestMain(m *testing.M) {
	switch os.Getenv("FRESHNESS_TEST") {
	case "fail":
		os.Stderr.WriteString("first\n" + strings.Repeat("x", 100_000))
		os.Exit(1)
	case "sleep":
		time.Sleep(time.Hour)
	case "":
		os.Exit(m.Run())
	}
}

// TestWait waits for processes that work, that fail and say a lot, and that never end.
func TestWait(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]string{
		"work": "", "fail": "gridstride build: first\nxxx", "sleep": "gridstride build took longer than 2s",
	} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		process, err := os.StartProcess(self, []string{self}, &os.ProcAttr{
			Env: append(os.Environ(), "FRESHNESS_TEST="+what), Files: []*os.File{nil, write, write},
		})
		if err != nil {
			t.Skip(err) // in a browser
		}
		write.Close()
		limit := time.Minute
		if what == "sleep" {
			limit = 2 * time.Second
		}
		got := ""
		if err := wait(process, read, limit); err != nil {
			got = err.Error()
		}
		if want == "" && got != "" || !strings.HasPrefix(got, want) || len(got) > mostSaid+100 {
			t.Errorf("%s: %d bytes, %.100q; want %q", what, len(got), got, want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	env := []string{"A=b=c", "GOOS=js", "GOARCH=wasm", "GRIDSTRIDE_STALE=rebuild", "GRIDSTRIDE_CHECK=dir=x", "GOFLAGS=-mod=mod"}
	for tags, want := range map[string]string{"": "GOFLAGS=-mod=mod", "a,b": "GOFLAGS=-mod=mod -tags=a,b"} {
		if got := environment(env, tags); !slices.Equal(got, []string{"A=b=c", want}) {
			t.Errorf("tags %q: %q", tags, got)
		}
	}
	if got := environment(env[:1], ""); !slices.Equal(got, env[:1]) {
		t.Errorf("%q", got)
	}
	if got := environment(nil, "a"); !slices.Equal(got, []string{"GOFLAGS=-tags=a"}) {
		t.Errorf("%q", got)
	}
}
