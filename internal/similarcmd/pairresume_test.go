package similarcmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/similar"
)

// writePairs writes documents from one on, to another, and closes with a mark where whole is false.
func writePairs(t *testing.T, file *ledger, from, to int, whole bool) {
	t.Helper()
	s, err := newStream(file, file.at.Bytes == 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < to; i++ {
		n := similar.Neighbors{ID: fmt.Sprintf("%03d\n,\"é\x85", i), Nearest: []similar.Neighbor{{ID: "x", Score: float64(i)}, {ID: "y"}}}
		if err := s.write(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.close(whole); err != nil {
		t.Fatal(err)
	}
}

// TestResume goes on after any document, and expects the file of a run without a break. It writes
// anew the bytes after the checkpoint, such as half a row.
func TestResume(t *testing.T) {
	t.Parallel()
	at := checkpoint{Writer: checkpointWriter, Generation: similar.Generation{Number: 3, Stamp: "s"}, K: 2}
	for _, form := range []string{".csv", ".jsonl"} {
		dir := t.TempDir()
		whole := filepath.Join(dir, "whole"+form)
		file, err := begin(whole, at)
		if err != nil {
			t.Fatal(err)
		}
		writePairs(t, file, 0, 20, true)
		want, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		for stop := range 20 {
			name := filepath.Join(dir, fmt.Sprint(stop)+form)
			file, err := begin(name, at)
			if err != nil {
				t.Fatal(err)
			}
			writePairs(t, file, 0, stop, false)
			appendTo(t, name, "half a row \xff,\"")
			if file, err = resume(name, at); err != nil {
				t.Fatal(err)
			}
			if again, err := resume(name, at); err == nil {
				t.Error("two runs write one file")
				again.release()
			}
			writePairs(t, file, stop, 20, true)
			if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, after %d: %q, %v; want %q", form, stop, got, err, want)
			}
			if _, err := os.Stat(name + checkpointEnd); err == nil {
				t.Errorf("%s: a whole file has a checkpoint", name)
			}
		}
	}
}

func appendTo(t *testing.T, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestResumeRefuses changes each byte of a file and of its checkpoint, cuts them at each length,
// and takes other options: no run goes on with what was changed, and nothing of it is lost.
func TestResumeRefuses(t *testing.T) {
	t.Parallel()
	at := checkpoint{Writer: checkpointWriter, K: 2}
	name := filepath.Join(t.TempDir(), "pairs.csv")
	file, err := begin(name, at)
	if err != nil {
		t.Fatal(err)
	}
	writePairs(t, file, 0, 3, false)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	mark, err := os.ReadFile(name + checkpointEnd)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, text, mark []byte, at checkpoint) {
		t.Helper()
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name+checkpointEnd, mark, 0o644); err != nil {
			t.Fatal(err)
		}
		if l, err := resume(name, at); err == nil {
			l.release()
			t.Errorf("%s: goes on", what)
		}
		if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, text) {
			t.Errorf("%s: the file was changed: %q, %v", what, now, err)
		}
	}
	for i := range text {
		changed := slices.Clone(text)
		changed[i] ^= 1
		refused(fmt.Sprintf("byte %d of the file", i), changed, mark, at)
		refused(fmt.Sprintf("cut at %d", i), text[:i], mark, at)
	}
	for i := range mark {
		refused(fmt.Sprintf("checkpoint cut at %d", i), text, mark[:i], at)
	}
	refused("another -n", text, mark, checkpoint{Writer: checkpointWriter, K: 3})
	refused("another threshold", text, mark, checkpoint{Writer: checkpointWriter, K: 2, Threshold: 0.5})
	refused("another part", text, mark, checkpoint{Writer: checkpointWriter, K: 2, Part: "1/3"})
	refused("another index", text, mark, checkpoint{Writer: checkpointWriter, K: 2, Generation: similar.Generation{Number: 1}})
	refused("more bytes than there are", text, bytes.Replace(mark, []byte(`"Bytes":`), []byte(`"Bytes":9`), 1), at)
	refused("negative", text, bytes.Replace(mark, []byte(`"Bytes":`), []byte(`"Bytes":-`), 1), at)
}
