package similarcmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/version"
)

// TestPairsOnDevice writes the pairs of a version by a simulated device, in parts, and one goes on
// after an interrupt, and expects the bytes that the processor writes.
func TestPairsOnDevice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs.jsonl")
	var lines bytes.Buffer
	for i := range 24 {
		fmt.Fprintf(&lines, "{\"id\": \"d%02d\", \"text\": \"heap queue tree%d leaf%d\"}\n", i, i%7, i%3)
	}
	if err := os.WriteFile(docs, lines.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "v")
	must := func(args ...string) {
		t.Helper()
		var out bytes.Buffer
		if code := run(nil, args, &out, &out); code != 0 {
			t.Fatalf("similar %q: %d, %s", args, code, &out)
		}
	}
	for shard := range 3 {
		must("index", docs, "-o", at, "-shard", fmt.Sprintf("%d/3", shard))
	}
	must("seal", at)
	file := func(name string) string { return filepath.Join(dir, name+".csv") }
	must("pairs", at, "-n", "4", "-o", file("whole"))
	interrupted(t, at, file("part1"))
	var got []byte
	for part := range 2 {
		name := file(fmt.Sprint("part", part))
		must("pairs", at, "-n", "4", "-device", "sim", "-part", fmt.Sprintf("%d/2", part), "-o", name, fmt.Sprintf("-resume=%t", part == 1))
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, b...)
	}
	want, err := os.ReadFile(file("whole"))
	if err != nil || len(want) < 24*4*10 || !bytes.Equal(got, want) {
		t.Errorf("the device writes %q, %v, want %q", got, err, want)
	}
	var out bytes.Buffer
	for _, args := range [][]string{{"-groups"}, {"-n", "128"}, {"-device", "abacus"}} {
		if code := run(nil, append([]string{"pairs", at, "-device", "sim"}, args...), &out, &out); code == 0 {
			t.Errorf("%q is done", args)
		}
	}
}

// interrupted leaves the file of a run of part 1/2, by the processor, that has written three documents.
func interrupted(t *testing.T, at, name string) {
	t.Helper()
	v, err := version.Open(t.Context(), version.Folder(at), version.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	job := pairer{options: similar.PairOptions{K: 4, Part: 1, Parts: 2}, out: name, part: shardOf{1, 2}}
	w, _, err := job.create(similar.Generation{Number: 1, Stamp: v.Sum()})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for near, err := range v.Pairs(t.Context(), job.options) {
		if err == nil {
			err = w.write(near)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 3 {
			break
		}
	}
	if err := w.close(false); err != nil {
		t.Fatal(err)
	}
}
