package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gridstride/gridstride/internal/tools/cli/clitest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gridstride": main})
}

// TestExitStatus tells failures from command lines that make no sense.
func TestExitStatus(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{
		"":                            0,
		"version":                     0,
		"help build":                  0,
		"walk":                        2,
		"version now":                 2,
		"run":                         2,
		"run x.ptx --blocks 1":        2,
		"run x.ptx -block one":        2,
		"run x.ptx --shared lots":     2,
		"run missing.ptx --block 1":   1,
		"run x.ptx --block 1 --arg x": 1,
		"ptx":                         2,
		"ptx ./x NoKernel":            1,
		"build ./no/such/folder":      1,
		"build --checks":              2,
		"metric":                      2,
		"metric far x.npy y.npy":      2,
		"metric mse x.npy":            2,
		"metric squarednorm x y":      2,
		"metric mse nox.npy noy.npy":  1,
		"bench dot -n 0":              2,
		"bench dot -n abc":            2,
		"bench dot -n -1":             2,
		"check x.go":                  2,
		"profile ./x.go":              2,
	} {
		var stdout, stderr strings.Builder
		if got := run(strings.Fields(line), &stdout, &stderr); got != want {
			t.Errorf("gridstride %s: exit status %d, want %d\n%s", line, got, want, &stderr)
		}
		if (want != 0) != (stderr.Len() > 0) || strings.Count(stderr.String(), "\n") > 1 {
			t.Errorf("gridstride %s: wrote %q to stderr", line, &stderr)
		}
	}
}

// TestNothingForTerminals gives the command names with bytes that a terminal obeys.
func TestNothingForTerminals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "quoted.ptx")
	text := ".version 7.0\n.target sm_70\n.address_size 64\n// \x1b]0;title\x07\n.visible .entry k() { ret; }\nnonsense \x1b[31m;\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", "a\x1b[31m.ptx", "--block", "1"},
		{"run", file, "--block", "1", "--entry", "k\x1b]0;title\x07"},
		{"check", file, "--entry", "k\u009b31m"},
		{"bench", "do\x1bt"},
		{"\x1b[2J"},
	} {
		var stdout, stderr strings.Builder
		if run(args, &stdout, &stderr) == 0 || stderr.Len() == 0 {
			t.Errorf("gridstride %q: no error", args)
		}
		if out := stdout.String() + stderr.String(); strings.ContainsAny(out, "\x1b\x07\u009b") {
			t.Errorf("gridstride %q: writes %q", args, out)
		}
	}
}

// TestScripts runs the command as a user does. Scripts that build find this repository at $REPO.
func TestScripts(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	self, err := exec.LookPath("gridstride") // testscript.Main puts it there
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"GOMODCACHE", "GOCACHE", "GOPROXY"} // a script has no home to find them in
	values := goEnv(t, names...)
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "await": clitest.Await},
		Setup: func(e *testscript.Env) error {
			for i, name := range names {
				e.Setenv(name, values[i])
			}
			e.Setenv("REPO", repo)
			e.Setenv("GRIDSTRIDE", self)
			e.Setenv("GOSUMDB", "off")
			e.Setenv("GOFLAGS", "-mod=mod -vet=off") // go vet would take a third of the time
			e.Setenv("GOTOOLCHAIN", "local")
			e.Setenv("GRIDSTRIDE_DEVICE", "sim")
			e.Setenv("GRIDSTRIDE_LIBCUDA", filepath.Join(e.WorkDir, "none")) // which would take a minute to build
			return nil
		},
	})
}

// status is a command of scripts: "status 2 check x.ptx" runs gridstride, which must end with that
// exit status.
func status(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 2 {
		ts.Fatalf("usage: status N arguments of gridstride")
	}
	got := 0
	err := ts.Exec("gridstride", args[1:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("gridstride %s: exit status %d, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

func goEnv(t *testing.T, names ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"env"}, names...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// TestVetTool tells command lines of the go command, which runs the tool of go vet, from people's
// command lines.
func TestVetTool(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"-V=full":                   true,
		"-flags":                    true,
		"/tmp/vet.cfg":              true,
		"-json -barrier /tmp/v.cfg": true,
		"":                          false,
		"vet":                       false,
		"vet -V=full":               false,
		"vet ./pkg.cfg":             false,
		"run kernel.cfg":            false,
		"--version":                 false,
	} {
		if got := isVetTool(strings.Fields(line)); got != want {
			t.Errorf("gridstride %s: is from the go command: %v, want %v", line, got, want)
		}
	}
}
