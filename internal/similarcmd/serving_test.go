//go:build unix

package similarcmd

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestServingRecipe runs the commands of the pods of servers and fronts with a program that says what
// it was called with, and has the command take that. Module similar/internal/recipes decodes the file
// into Kubernetes' own types.
func TestServingRecipe(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(recipe(t, "serving.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	server := regexp.MustCompile(`(?m)^ *args: \['(.*)'\]$`).FindSubmatch(text)
	front := regexp.MustCompile(`(?s)- \|\n(.*?)\n          ports:`).FindSubmatch(text)
	if server == nil || front == nil {
		t.Fatal("no commands")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "similar"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	said := func(command []byte, env ...string) []string {
		cmd := exec.Command("sh", "-c", string(command))
		cmd.Env = append(append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SHARDS=4", "PODS=8"), env...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	dir := t.TempDir()
	docs, v := filepath.Join(dir, "docs.jsonl"), filepath.Join(dir, "v")
	writeDocuments(t, docs, 30)
	for i := range shards {
		finish(t, index(docs, v, i)...)
	}
	finish(t, "seal", v)
	current := filepath.Join(dir, "current")
	if err := os.WriteFile(current, []byte("v"), 0o600); err != nil {
		t.Fatal(err)
	}
	for pod, shard := range map[string]string{"papers-0": "0", "papers-5": "1", "papers-6": "2"} {
		args := said(server[1], "HOSTNAME="+pod)
		if line := strings.Join(args, " "); !strings.HasPrefix(line, "serve /etc/similar/current -name papers -shard "+shard+" -listen 0.0.0.0:8080") {
			t.Errorf("%s: %s", pod, line)
		}
		taken(t, args, "/etc/similar/current", current)
	}
	args := said(front[1])
	want := "http://papers-0.papers:8080|http://papers-4.papers:8080,http://papers-1.papers:8080|http://papers-5.papers:8080," +
		"http://papers-2.papers:8080|http://papers-6.papers:8080,http://papers-3.papers:8080|http://papers-7.papers:8080"
	if len(args) < 3 || args[0] != "front" || args[1] != "-shards" || args[2] != want {
		t.Errorf("%q", args)
	}
	taken(t, args, "", "")
}

// taken has the command take a command line, up to a port that no machine has.
func taken(t *testing.T, args []string, from, to string) {
	t.Helper()
	for i := range args {
		if args[i] == from {
			args[i] = to
		}
		args[i] = strings.Replace(args[i], "0.0.0.0:8080", "0.0.0.0:99999", 1)
	}
	var stderr strings.Builder
	if status := run(nil, args, io.Discard, &stderr); status != 1 || !strings.Contains(stderr.String(), "cannot listen on 0.0.0.0:99999") {
		t.Errorf("%q: status %d: %s", args, status, &stderr)
	}
}
