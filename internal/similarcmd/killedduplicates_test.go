//go:build unix

package similarcmd

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestKilledDuplicates kills the jobs of near-duplicates at random, runs them again, and compares the
// files with the files of jobs that ran once. What a killed job leaves has no part of a file's name.
func TestKilledDuplicates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs, idx := filepath.Join(dir, "docs.jsonl"), filepath.Join(dir, "idx")
	writeDocuments(t, docs, 8000)
	finish(t, "index", docs, "-o", idx)
	job := func(to string, part int) []string {
		return []string{"duplicates", idx, "-memory", "1MB", "-tmp", filepath.Join(dir, "tmp"), "-words", "2",
			"-part", fmt.Sprintf("%d/%d", part, shards), "-o", filepath.Join(to, fmt.Sprint("part-", part))}
	}
	want, got, tmp := filepath.Join(dir, "want"), filepath.Join(dir, "got"), filepath.Join(dir, "tmp")
	for _, d := range []string{want, got, tmp} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	for i := range shards {
		finish(t, job(want, i)...)
	}
	took, killed := time.Since(start)/shards, 0
	for round := range *kills {
		r := rand.New(rand.NewPCG(uint64(round), 6))
		for range 1 + r.IntN(3) {
			if !endures(t, job(got, r.IntN(shards)), time.Duration(float64(took)*1.3*r.Float64()), r.IntN(4) == 0) {
				killed++
			}
		}
		for name, b := range tree(t, got) {
			if w, ok := tree(t, want)[name]; ok && !bytes.Equal(w, b) {
				t.Fatalf("round %d: a killed job leaves half of %s", round, name)
			}
		}
		for _, i := range r.Perm(shards) {
			finish(t, job(got, i)...)
		}
		files := tree(t, got)
		maps.DeleteFunc(files, func(name string, _ []byte) bool { return name[0] == '.' }) // of jobs that were killed
		if !maps.EqualFunc(files, tree(t, want), bytes.Equal) {
			t.Fatalf("round %d: other files: %d", round, len(files))
		}
		for name, b := range tree(t, tmp) {
			if len(b) > 0 { // one that is killed while it makes the file leaves an empty one
				t.Fatalf("round %d: the temporary file %s is left", round, name)
			}
		}
	}
	if killed == 0 {
		t.Error("no job was killed")
	}
	t.Logf("%d jobs were killed in %d rounds", killed, *kills)
}
