//go:build unix

package similarcmd

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shards is how many shards the jobs of the tests write.
const shards = 3

// TestKilledJobs kills the jobs of a version at random, runs them again, in any order and several
// at once, and compares the files with the files of jobs that ran once.
func TestKilledJobs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs.jsonl")
	writeDocuments(t, docs, 2000)
	want := filepath.Join(dir, "want")
	start := time.Now()
	for i := range shards {
		finish(t, index(docs, want, i)...)
	}
	took := time.Since(start) / shards
	finish(t, "seal", want)
	killed, left := 0, 0
	for round := range *kills {
		r := rand.New(rand.NewPCG(uint64(round), 5))
		v := filepath.Join(dir, fmt.Sprint("v", round))
		for range 2 + r.IntN(5) {
			job := index(docs, v, r.IntN(shards))
			if r.IntN(4) == 0 {
				job = []string{"seal", v}
			}
			if !endures(t, job, time.Duration(float64(took)*1.3*r.Float64()), r.IntN(2) == 0) {
				killed++
			}
		}
		for _, i := range r.Perm(shards) {
			finish(t, index(docs, v, i)...)
		}
		finish(t, "seal", v)
		if len(tree(t, v)) > len(tree(t, want)) {
			left++
		}
		finish(t, "gc", v, "-older", "0s")
		if !maps.EqualFunc(tree(t, v), tree(t, want), bytes.Equal) {
			t.Fatalf("round %d: other files in %s", round, v)
		}
		if err := os.RemoveAll(v); err != nil {
			t.Fatal(err)
		}
	}
	if killed == 0 {
		t.Error("no job was killed")
	}
	t.Logf("%d jobs were killed in %d rounds, and %d rounds left files that gc removed", killed, *kills, left)
}

// writeDocuments writes JSON lines.
func writeDocuments(t *testing.T, name string, n int) {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id": "d%d", "title": "heap %d", "text": "word%d word%d tree number%d"}`+"\n", i, i%7, i%11, i%13, i)
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func index(docs, v string, shard int) []string {
	return []string{"index", docs, "-o", v, "-shard", fmt.Sprintf("%d/%d", shard, shards)}
}

// finish runs the command to its end.
func finish(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("similar", args...).CombinedOutput(); err != nil {
		t.Fatalf("similar %q: %v\n%s", args, err, out)
	}
}

// endures runs the command, kills it after a time, and reports whether it ended before. Another one of
// the same may run meanwhile.
func endures(t *testing.T, args []string, after time.Duration, twice bool) bool {
	t.Helper()
	if twice {
		other := exec.Command("similar", args...)
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = other.Wait() }() // it may fail, as a seal without shards does
	}
	ctx, stop := context.WithTimeout(t.Context(), after)
	defer stop()
	_ = exec.CommandContext(ctx, "similar", args...).Run()
	return ctx.Err() == nil
}

// tree are the files of a folder.
func tree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[p], err = os.ReadFile(filepath.Join(dir, p))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestFileLimit has the system refuse files above a size, as a full disk does.
func TestFileLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs, v, want := filepath.Join(dir, "docs.jsonl"), filepath.Join(dir, "v"), filepath.Join(dir, "want")
	writeDocuments(t, docs, 2000)
	finish(t, index(docs, want, 0)...)
	largest := 0
	for _, b := range tree(t, want) {
		largest = max(largest, len(b))
	}
	for blocks := 0; blocks*512 < largest; blocks += 5 {
		script := fmt.Sprintf("ulimit -f %d; exec similar %s", blocks, strings.Join(index(docs, v, 0), " "))
		if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err == nil {
			t.Fatalf("a limit of %d blocks: %s", blocks, out)
		}
		for name, b := range tree(t, dir) {
			if strings.HasPrefix(name, "v/") && !bytes.Equal(b, tree(t, want)[name[2:]]) {
				t.Fatalf("a limit of %d blocks leaves %s", blocks, name)
			}
		}
	}
	finish(t, index(docs, v, 0)...)
	if !maps.EqualFunc(tree(t, v), tree(t, want), bytes.Equal) {
		t.Error("other files")
	}
}
