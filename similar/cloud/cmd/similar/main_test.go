package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar/cloud/internal/storetest"
)

// TestMain makes the test's process the command where a test starts it as one.
func TestMain(m *testing.M) {
	if os.Getenv("BE_SIMILAR") != "" {
		main()
	}
	os.Exit(m.Run())
}

// similar is a command line of the command, in a process of its own with its own cache.
func similar(t *testing.T, cache string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append(args, "-cache", cache)...)
	cmd.Env = append(os.Environ(), "BE_SIMILAR=1")
	return cmd
}

// TestStore holds the commands to the stores of three clouds, by servers of ours.
func TestStore(t *testing.T) {
	for name, start := range map[string]func(*testing.T) storetest.Store{"s3": storetest.S3, "gs": storetest.GCS, "azblob": storetest.Azure} {
		t.Run(name, func(t *testing.T) { testStore(t, start(t)) })
	}
}

// testStore builds, searches, serves, merges and checks a version in an object store, and holds what
// commands print to what they print of a folder.
func testStore(t *testing.T, remote storetest.Store) {
	dir := t.TempDir()
	cache, docs := filepath.Join(dir, "cache"), filepath.Join(dir, "docs.jsonl")
	var lines strings.Builder
	for i := range 40 {
		fmt.Fprintf(&lines, "{\"id\": \"d%d\", \"text\": \"heap queue tree%d leaf%d\"}\n", i, i%7, i%3)
	}
	if err := os.WriteFile(docs, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	local := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) string {
		t.Helper()
		out, err := similar(t, cache, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("similar %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	for _, at := range []storetest.Store{remote, local} {
		for shard := range 4 {
			run("index", docs, "-o", at("v"), "-shard", fmt.Sprintf("%d/4", shard))
		}
		run("seal", at("v"))
		run("compact", at("v"), "-o", at("w"), "-shard", "0/2")
		run("compact", at("v"), "-o", at("w"), "-shard", "1/2")
		run("seal", at("w"))
	}
	for _, args := range [][]string{
		{"query", "", "tree3", "leaf1", "-json"}, {"like", "", "d5"}, {"pairs", ""}, {"gc", "", "-list", "-older", "0s"},
	} {
		var said [4]string
		for i, name := range []string{local("v"), remote("v"), local("w"), remote("w")} {
			args[1] = name
			said[i] = strings.ReplaceAll(run(args...), name, "VERSION")
		}
		for _, other := range said[1:] {
			if other != said[0] {
				t.Errorf("%s: a folder has %s, another place %s", args[0], said[0], other)
			}
		}
	}
	run("verify", remote("v"))
	served(t, similar(t, cache, "serve", remote("v"), "-listen", "localhost:0"))
	if files, err := filepath.Glob(filepath.Join(cache, "*")); err != nil || len(files) == 0 {
		t.Errorf("the cache has %v, %v", files, err)
	}
}

// served starts a server and asks it.
func served(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), " at ")
	if err != nil || !ok {
		t.Fatalf("it says %q, %v", line, err)
	}
	res, err := http.Get(strings.TrimSuffix(url, "/") + "/api/search?q=tree3")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the status is %d", res.StatusCode)
	}
}

// TestRefused tries addresses and caches that are wrong.
func TestRefused(t *testing.T) {
	s3, dir := storetest.S3(t), t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		cache, want string
		args        []string
	}{
		"no version":   {dir, "there is no version", []string{"query", s3("none"), "tree"}},
		"no scheme":    {dir, "azblob://, gs://, s3://", []string{"query", "ftp://papers/none", "tree"}},
		"a file":       {file, file, []string{"query", s3("none"), "tree"}},
		"a bad option": {dir, "s3://papers/none", []string{"query", "s3://papers/none?colour=red", "tree"}},
	} {
		out, err := similar(t, c.cache, c.args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}
