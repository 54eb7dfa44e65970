package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asCommand in the environment makes the test program the command.
const asCommand = "SIMILARBEAM_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	if port := os.Getenv(asPrism); port != "" {
		servePrism(port)
	}
	os.Exit(m.Run())
}

// command returns the command similarbeam, and its output.
func command(ctx context.Context, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd = exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = time.Second
	return cmd, stdout, stderr
}

// status runs the command, and returns its exit status.
func status(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd, out, errs := command(ctx, args...)
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v\n%s", args, err, errs)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// groupsEnd ends the path of a version's groups, which begins as the version's.
const groupsEnd = ".groups.jsonl"

// similar returns a version that the command similar writes, next to which it writes the groups of
// near-duplicates.
func similar(t *testing.T, source string, shards int) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "similar")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./cmd/similar")
	build.Dir = "../../.." // of the root module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dir := filepath.Join(t.TempDir(), "v")
	lost := 0
	for i := range shards {
		out, err := exec.CommandContext(t.Context(), bin, "index", source, "-o", dir, "-shard", fmt.Sprintf("%d/%d", i, shards)).CombinedOutput()
		if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == statusLost {
			lost++
		} else if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, args := range [][]string{{"seal", dir}, {"duplicates", dir, "-o", dir + groupsEnd}} {
		if out, err := exec.CommandContext(t.Context(), bin, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	return dir
}

// same fails where two folders differ, apart from what killed workers left and similar gc removes.
func same(t *testing.T, got, want string) {
	t.Helper()
	files := func(dir string) map[string]string {
		all := map[string]string{}
		err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), ".writing-") {
				var b []byte
				b, err = os.ReadFile(filepath.Join(dir, p))
				all[p] = string(b)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if a, b := files(got), files(want); !maps.Equal(a, b) {
		t.Fatalf("the files %q, want %q", slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	}
}

// sameGroups fails where the groups of two versions differ.
func sameGroups(t *testing.T, got, want string) {
	t.Helper()
	a, err := os.ReadFile(got + groupsEnd)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(want + groupsEnd)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) || bytes.Count(a, []byte("\n")) < 10 {
		t.Fatalf("%d bytes of groups, want %d", len(a), len(b))
	}
}

// papers writes documents as JSON lines in several files, some with one id, each fifth one with the text
// of the one before, and other files.
func papers(t *testing.T, n int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	dir := filepath.Join(t.TempDir(), "papers")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		var b strings.Builder
		text := ""
		for line := range n / 4 {
			if line%5 > 0 {
				text = ""
				for range 60 {
					text += fmt.Sprintf("w%d ", int(9000*r.Float64()*r.Float64()*r.Float64()))
				}
			}
			fmt.Fprintf(&b, `{"id":"d%d","title":"t%d","year":%d,"text":"%s"}`+"\n", r.IntN(n), r.IntN(9), r.IntN(50), text)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"notes.txt": "one text", "page.html": "<title>A page</title><p>of words", "table.csv": "id,text\nrow,of a table\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCommand holds the command to the bytes that the command similar writes, and to its exit status.
func TestCommand(t *testing.T) {
	t.Parallel()
	dir := papers(t, 400)
	want := similar(t, dir, 3)
	out := filepath.Join(t.TempDir(), "v")
	code, stdout, stderr := status(t, "-o", out, "-shards", "3", "-duplicates", out+groupsEnd, dir+"/*")
	if code != 0 || stderr != "" || !strings.Contains(stdout, " documents in 3 shards; 403 read, ") || !regexp.MustCompile(`[1-9]\d groups of \d+ documents, of \d+; \d+ pairs compared\n`).MatchString(stdout) {
		t.Errorf("%d, %s, %s", code, stdout, stderr)
	}
	same(t, out, want)
	sameGroups(t, out, want)
	if code, _, stderr = status(t, "-o", out, "-shards", "3", "-duplicates", out+groupsEnd, "-threshold", "0.01", "-words", "1", "-rows", "1", dir+"/*"); code != statusFailed || !strings.Contains(stderr, "another file of this name") || strings.Contains(stderr, "try 2 of 3") {
		t.Errorf("other groups: %d, %s", code, stderr)
	}
	sameGroups(t, out, want)
	out = filepath.Join(t.TempDir(), "v")
	if code, stdout, stderr = status(t, "-o", "file://"+out, "-shards", "3", "-runner", "direct", dir+"/*"); code != 0 {
		t.Errorf("%d, %s, %s", code, stdout, stderr)
	}
	same(t, out, want)

	if err := os.WriteFile(filepath.Join(dir, "bad.jsonl"), []byte("{\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr = status(t, "-o", out, "-shards", "3", dir+"/*"); code != statusLost || !strings.Contains(stderr, "papers/bad.jsonl:1: not a JSON object") {
		t.Errorf("%d, %s, %s", code, stdout, stderr)
	}
	same(t, out, want)
	code, _, stderr = status(t, "-o", out, "-shards", "2", dir+"/*")
	if code != statusFailed || !strings.Contains(stderr, "the version has another one") || strings.Contains(stderr, "try 2 of 3") {
		t.Errorf("other shards in one version: %d, %s", code, stderr)
	}
	same(t, out, want)
}

// TestUsage holds the command to saying what is wrong with its flags.
func TestUsage(t *testing.T) {
	t.Parallel()
	options := filepath.Join(t.TempDir(), "options.json")
	if err := os.WriteFile(options, []byte(`{"Txet":{}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		said string
		args []string
	}{
		{"no sources", []string{"-o", "v"}},
		{"no version to write", []string{"x"}},
		{"0 shards; want 1 to 65536", []string{"-o", "v", "-shards", "0", "x"}},
		{"-tries is 0", []string{"-o", "v", "-tries", "0", "x"}},
		{`unknown field "Txet"`, []string{"-o", "v", "-index", options, "x"}},
		{"no file", []string{"-o", "v", "-duplicates", "folder/", "x"}},
		{"5 parts of 4 bands", []string{"-o", "v", "-duplicates", "g", "-duplicate-parts", "5", "-bands", "4", "x"}},
		{"bytes of memory", []string{"-o", "v", "-memory", "-1", "x"}},
	} {
		if code, _, stderr := status(t, test.args...); code != statusUsage || !strings.Contains(stderr, test.said) {
			t.Errorf("%q: %d, %s", test.args, code, stderr)
		}
	}
}

// TestDeadWorker kills a worker that builds a shard. The job is submitted again, and ends with the
// same bytes.
func TestDeadWorker(t *testing.T) {
	dir := papers(t, 12000)
	want := similar(t, dir, 6)
	for round := range 2 {
		out := filepath.Join(t.TempDir(), "v")
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		cmd, stdout, stderr := command(ctx, "-o", out, "-shards", "6", "-duplicates", out+groupsEnd, "-environment_type", "process", dir+"/*")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killed := false
		go func() { // when it has begun to write
			for !killed && ctx.Err() == nil {
				time.Sleep(2 * time.Millisecond)
				if shards, _ := filepath.Glob(out + "/shard-*"); len(shards) <= round {
					continue
				}
				for _, child := range children(cmd.Process.Pid) {
					killed = syscall.Kill(child, syscall.SIGKILL) == nil
				}
			}
		}()
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		if !killed || !strings.Contains(stderr.String(), "try 1 of 3 failed: ") || !strings.Contains(stdout.String(), "in 6 shards") {
			t.Errorf("killed: %v; %s%s", killed, stdout, stderr)
		}
		same(t, out, want)
		sameGroups(t, out, want)
	}
}

// children are the processes that a process has started.
func children(pid int) (list []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		var child, parent int
		var state string
		if n, _ := fmt.Sscanf(string(b[:bytes.IndexByte(b, ' ')])+string(b[bytes.LastIndexByte(b, ')')+1:]), "%d %s %d", &child, &state, &parent); n == 3 && parent == pid {
			list = append(list, child)
		}
	}
	return list
}

// TestKilled kills the command as a whole, and runs it again: the version is the same.
func TestKilled(t *testing.T) {
	dir := papers(t, 4000)
	want := similar(t, dir, 5)
	out := filepath.Join(t.TempDir(), "v")
	r := rand.New(rand.NewPCG(5, 6))
	for range 6 {
		cmd, _, _ := command(t.Context(), "-o", out, "-shards", "5", "-duplicates", out+groupsEnd, dir+"/*")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(100+r.IntN(1800)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	if code, _, stderr := status(t, "-o", out, "-shards", "5", "-duplicates", out+groupsEnd, dir+"/*"); code != 0 {
		t.Fatalf("%d, %s", code, stderr)
	}
	same(t, out, want)
	sameGroups(t, out, want)
}

// TestUnquoted holds a worker's arguments to what prism passes.
func TestUnquoted(t *testing.T) {
	t.Parallel()
	got := unquoted([]string{"x", "--id='job-001[go-job]_go'", "--provision_endpoint=localhost:1"})
	if want := []string{"x", "--id=job-001[go-job]_go", "--provision_endpoint=localhost:1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRootHasNoBeam holds the root module, and so its users, to having nothing of Beam.
func TestRootHasNoBeam(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join("../../..", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, module := range []string{"apache/beam", "goavro", "parquet-go"} {
			if bytes.Contains(b, []byte(module)) {
				t.Errorf("%s names %s", name, module)
			}
		}
	}
}
