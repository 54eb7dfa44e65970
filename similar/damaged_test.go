package similar_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/zipf"
)

// TestDamagedAnswers changes bits of a segment, which Open does not read to the end: an answer is
// right, or it is the error of the damage. Verify finds all.
func TestDamagedAnswers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "idx")
	name, whole := savedTexts(t, dir)
	ask := func() (answers string, err error) {
		x, err := similar.Open(t.Context(), dir)
		if err != nil {
			return "", err
		}
		defer x.Close()
		for _, q := range []similar.Query{
			{Text: zipf.Word(60) + " " + zipf.Word(700), K: 5}, {Like: []string{"d000000004"}},
			{Text: zipf.Word(300), Where: similar.Is("kind", "k7")},
		} {
			hits, e := x.Search(t.Context(), q)
			answers += fmt.Sprint(hits)
			err = errors.Join(err, e)
		}
		d, e := x.Document("d000000123")
		return answers + fmt.Sprint(d), errors.Join(err, e)
	}
	want, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(29, 31))
	right, found := 0, 0
	for range 200 {
		b := bytes.Clone(whole)
		at := r.IntN(len(b))
		b[at] ^= 1 << r.IntN(8)
		// A new file each time: one that is open must not change.
		if err := errors.Join(os.Remove(name), os.WriteFile(name, b, 0o644)); err != nil {
			t.Fatal(err)
		}
		switch got, err := ask(); {
		case errors.Is(err, similar.ErrDamaged) && strings.Contains(err.Error(), name):
			found++
		case err != nil || got != want:
			t.Fatalf("byte %d is changed: %v, and another answer", at, err)
		default:
			right++
		}
		if err := similar.Verify(t.Context(), dir); !errors.Is(err, similar.ErrDamaged) {
			t.Fatalf("byte %d is changed: Verify finds %v", at, err)
		}
	}
	if t.Logf("%d answers were right, and %d errors", right, found); right == 0 || found == 0 {
		t.Errorf("%d answers were right, and %d errors; want some of both", right, found)
	}
}

// savedTexts saves an index of one segment, and returns its file.
func savedTexts(t *testing.T, dir string) (name string, whole []byte) {
	t.Helper()
	x, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var docs []similar.Document
	for id, text := range zipf.New(zipf.Corpus{Documents: 3000, Length: 60, Words: 20_000, Seed: 5}).Documents() {
		docs = append(docs, similar.Document{ID: id, Text: text, Fields: map[string]string{"kind": fmt.Sprint("k", len(docs)%50)}})
	}
	if err := errors.Join(x.Add(t.Context(), docs...), x.Compact(t.Context()), x.Save(t.Context(), dir)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.segment"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the segments are %q, %v", files, err)
	}
	if whole, err = os.ReadFile(files[0]); err != nil {
		t.Fatal(err)
	}
	return files[0], whole
}
