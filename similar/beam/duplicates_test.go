package beam_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/gridstride/gridstride/similar"
	similarbeam "github.com/gridstride/gridstride/similar/beam"
	"github.com/gridstride/gridstride/similar/duplicates"
	"github.com/gridstride/gridstride/similar/minhash"
	"github.com/gridstride/gridstride/similar/source"
	"github.com/gridstride/gridstride/similar/version"
)

// groupsOf are the groups of a version by nothing of Beam, and the file of them.
func groupsOf(t *testing.T, dir string, o similarbeam.DuplicateOptions) (file []byte, groups, documents int) {
	t.Helper()
	v, err := version.Open(t.Context(), version.Folder(dir), version.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	list, err := v.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g, err := duplicates.Find(t.Context(), list, duplicates.Options{MinHash: o.MinHash, Threshold: o.Threshold})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if groups, documents, err = g.Write(t.Context(), &b, list.ID); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), groups, documents
}

// find builds a version and writes its groups by a runner, and returns the counters.
func find(t *testing.T, runner string, o similarbeam.Options, near similarbeam.DuplicateOptions) (map[string]int64, error) {
	t.Helper()
	if err := errors.Join(o.Check(), near.Check()); err != nil {
		t.Fatal(err)
	}
	return run(t, runner, func(s beam.Scope) {
		similarbeam.Duplicates(s, near, similarbeam.Build(s, o, similarbeam.Read(s, o)))
	})
}

// planted are documents. Many repeat another with some words changed, moved or left out.
func planted(r *rand.Rand, n int) (docs []similar.Document) {
	for i := range n {
		text := words(r, 5+r.IntN(40))
		if i > 0 && r.IntN(2) == 0 {
			list := strings.Fields(docs[r.IntN(i)].Text)
			for range r.IntN(3) {
				switch at := r.IntN(len(list)); r.IntN(3) {
				case 0:
					list[at] = "other"
				case 1:
					list = slices.Concat(list[at:], list[:at])
				default:
					list = slices.Insert(list, at, "more")
				}
			}
			text = strings.Join(list, " ")
		}
		docs = append(docs, similar.Document{ID: fmt.Sprintf("é%d", r.IntN(1<<30)), Text: text})
	}
	return docs
}

// TestDuplicatesRandom finds the groups of random collections by all numbers of parts and shards, with
// the bytes of one process.
func TestDuplicatesRandom(t *testing.T) {
	n, all := 60, 0
	if testing.Short() {
		n = 12
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 25))
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a.jsonl"), planted(r, r.IntN(120)))
		o := similarbeam.Options{Sources: []string{dir + "/*"}, Shards: 1 + r.IntN(4)}
		near := similarbeam.DuplicateOptions{Threshold: 0.3 + 0.7*r.Float64(), MinHash: minhash.Options{Words: 1 + r.IntN(4), Bands: 1 + r.IntN(25), Rows: 1 + r.IntN(5), Seed: uint64(seed)}}
		near.Parts = 1 + r.IntN(near.MinHash.Bands)
		for _, runner := range locally {
			o.Output = filepath.Join(t.TempDir(), "v")
			near.Version, near.Output = o.Output, filepath.Join(t.TempDir(), "groups.jsonl")
			counts, err := find(t, runner, o, near)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, runner, err)
			}
			want, groups, documents := groupsOf(t, o.Output, near)
			got, err := os.ReadFile(near.Output)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("seed %d, %s, %d parts: %v, the groups\n%s, want\n%s", seed, runner, near.Parts, err, got, want)
			}
			if counts["groups"] != int64(groups) || counts["grouped"] != int64(documents) || counts["parts"] != int64(near.Parts) {
				t.Errorf("seed %d, %s: %v; want %d parts, %d groups, %d documents", seed, runner, counts, near.Parts, groups, documents)
			}
			all += groups
		}
	}
	t.Logf("%d groups in %d collections, by two runners", all, n)
	if all < n {
		t.Errorf("%d groups in %d collections", all, n)
	}
}

// TestDuplicatesCollections finds the groups of the test collections, with each third document twice.
func TestDuplicatesCollections(t *testing.T) {
	for _, name := range []string{"cacm", "cranfield"} {
		file := filepath.Join("../../../shared/data", name, "docs.jsonl")
		if _, err := os.Stat(file); err != nil {
			t.Skip(err)
		}
		var docs []similar.Document
		for d, err := range source.Read(t.Context(), source.Options{Strict: true}, file) {
			if err != nil {
				t.Fatal(err)
			}
			if docs = append(docs, d); len(docs)%3 == 0 {
				d.ID += "-again"
				d.Text += " and some more words"
				docs = append(docs, d)
			}
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, "docs.jsonl"), docs)
		var want []byte
		for _, runner := range locally {
			o := similarbeam.Options{Sources: []string{dir + "/*"}, Shards: 3, Output: filepath.Join(t.TempDir(), name)}
			near := similarbeam.DuplicateOptions{Version: o.Output, Output: filepath.Join(t.TempDir(), "groups.jsonl"), Parts: 7}
			counts, err := find(t, runner, o, near)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want, _, _ = groupsOf(t, o.Output, near)
			}
			if got, err := os.ReadFile(near.Output); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s by %s: %v, %d bytes of groups, want %d", name, runner, err, len(got), len(want))
			}
			t.Logf("%s by %s: %d groups of %d documents, %d compared", name, runner, counts["groups"], counts["grouped"], counts["compared"])
			if counts["groups"] < int64(len(docs)/6) {
				t.Errorf("%s: %v of %d documents", name, counts, len(docs))
			}
		}
	}
}

// TestDuplicatesFile writes groups where a file is: the same bytes stay, others are an error and stay,
// too, and so does what is no place for a file.
func TestDuplicatesFile(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.jsonl"), []similar.Document{{ID: "1", Text: "one two three four five six"}, {ID: "2", Text: "one two three four five six"}, {ID: "3", Text: "seven"}})
	o := similarbeam.Options{Sources: []string{dir + "/*"}, Shards: 2, Output: filepath.Join(t.TempDir(), "v")}
	at := filepath.Join(t.TempDir(), "groups.jsonl")
	near := similarbeam.DuplicateOptions{Version: o.Output, Output: "file://" + filepath.ToSlash(at), Parts: 2}
	want := "[\"1\",\"2\"]\n"
	for range 2 {
		if _, err := find(t, "direct", o, near); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(at); err != nil || string(got) != want {
			t.Fatalf("%v: %q, want %q", err, got, want)
		}
	}
	for _, other := range []string{"", want[:4], want + "x", "[\"1\",\"3\"]\n"} {
		if err := os.WriteFile(at, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := find(t, "direct", o, near); err == nil || !strings.Contains(err.Error(), similarbeam.ErrExists.Error()) {
			t.Errorf("%q is there: %v", other, err)
		}
		if got, err := os.ReadFile(at); err != nil || string(got) != other {
			t.Errorf("%v: %q in the place of %q", err, got, other)
		}
	}
	if left, err := fs.Glob(os.DirFS(filepath.Dir(at)), ".*"); err != nil || len(left) > 0 {
		t.Errorf("%v, %q are left", err, left)
	}
}

// TestDuplicateOptions holds Check to saying what is wrong.
func TestDuplicateOptions(t *testing.T) {
	for _, test := range []struct {
		said string
		o    similarbeam.DuplicateOptions
	}{
		{"0 parts", similarbeam.DuplicateOptions{Output: "x"}},
		{"21 parts of 20 bands", similarbeam.DuplicateOptions{Output: "x", Parts: 21}},
		{"the threshold is 2", similarbeam.DuplicateOptions{Output: "x", Parts: 1, Threshold: 2}},
		{"names no file", similarbeam.DuplicateOptions{Parts: 1}},
		{"names no file", similarbeam.DuplicateOptions{Output: "s3://bucket", Parts: 1}},
		{"names no file", similarbeam.DuplicateOptions{Output: "folder/..", Parts: 1}},
		{"minhash: ", similarbeam.DuplicateOptions{Output: "x", Parts: 1, MinHash: minhash.Options{Words: -1}}},
		{"a cache", similarbeam.DuplicateOptions{Output: "x", Parts: 1, CacheBytes: -1}},
	} {
		if err := test.o.Check(); err == nil || !strings.Contains(err.Error(), test.said) {
			t.Errorf("%+v: %v; want %q", test.o, err, test.said)
		}
	}
}
