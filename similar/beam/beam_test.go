package beam_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/linkedin/goavro/v2"
	"github.com/parquet-go/parquet-go"

	"github.com/gridstride/gridstride/similar"
	similarbeam "github.com/gridstride/gridstride/similar/beam"
	"github.com/gridstride/gridstride/similar/source"
	"github.com/gridstride/gridstride/similar/version"
)

// row is a record of a table. The fields that are nil are null there.
type row struct {
	ID    string  `parquet:"id"`
	Title *string `parquet:"title,optional"`
	Text  *string `parquet:"text,optional"`
	At    string  `parquet:"at"`
}

const avroSchema = `{"type":"record","name":"paper","fields":[{"name":"id","type":"string"},
	{"name":"title","type":["null","string"]},{"name":"text","type":["null","string"]},{"name":"at","type":"string"}]}`

// write writes documents to a file of a form.
func write(t *testing.T, path string, docs []similar.Document) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	switch filepath.Ext(path) {
	case ".jsonl":
		for _, d := range docs {
			_, err = f.WriteString(line(d))
		}
	case ".parquet":
		w := parquet.NewGenericWriter[row](f)
		for _, d := range docs {
			_, wrong := w.Write([]row{{d.ID, &d.Title, &d.Text, d.Fields["at"]}})
			err = errors.Join(err, wrong)
		}
		err = errors.Join(err, w.Close())
	case ".avro":
		w, failed := goavro.NewOCFWriter(goavro.OCFConfig{W: f, Schema: avroSchema, CompressionName: "deflate"})
		if failed != nil {
			t.Fatal(failed)
		}
		for _, d := range docs {
			err = errors.Join(err, w.Append([]any{map[string]any{"id": d.ID, "title": goavro.Union("string", d.Title), "text": goavro.Union("string", d.Text), "at": d.Fields["at"]}}))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// random writes documents to files of all forms, some with one id, and returns those that are the
// newest.
func random(t *testing.T, r *rand.Rand, dir string, dated bool) (newest []similar.Document) {
	kept, at := map[string]similar.Document{}, map[string]int{}
	for i, form := range []string{"a.jsonl", "b.avro", "c.parquet", "d.jsonl"} {
		var docs []similar.Document
		for range r.IntN(25) {
			d := similar.Document{ID: fmt.Sprint("é", r.IntN(30)), Title: words(r, 2), Text: words(r, 1+r.IntN(40)), Fields: map[string]string{"at": "7"}}
			time := 0
			if dated {
				time = r.IntN(40)
				d.Fields["at"] = fmt.Sprint(time - 20)
			}
			if time >= at[d.ID] {
				kept[d.ID], at[d.ID] = d, time
			}
			docs = append(docs, d)
		}
		if len(docs) > 0 || i == 0 {
			write(t, filepath.Join(dir, form), docs)
		}
	}
	return slices.Collect(maps.Values(kept))
}

// TestRandom builds versions of random collections, which have the bytes and the answers of one index
// of the newest documents, by both runners of this process.
func TestRandom(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 15
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 24))
		dir := t.TempDir()
		docs := random(t, r, dir, seed%2 == 1)
		o := similarbeam.Options{Sources: []string{dir + "/*"}, Shards: 1 + r.IntN(5)}
		if seed%2 == 1 {
			o.Newest = "at"
		}
		if seed%3 == 0 {
			o.Memory = 1 << 20
		}
		if seed%4 == 0 {
			o.Index.Positions = true
		}
		want := reference(t, docs, o.Shards, o.Index)
		for _, runner := range locally {
			o.Output = filepath.Join(t.TempDir(), "v")
			counts, err := build(t, runner, o)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, runner, err)
			}
			same(t, fmt.Sprintf("seed %d, %s", seed, runner), o.Output, want)
			if counts["written"] != int64(len(docs)) || counts["documents"] != int64(len(docs))+counts["duplicates"] || counts["shards"] != int64(o.Shards) || counts["skipped"] != 0 {
				t.Errorf("seed %d, %s: %v, and %d are the newest", seed, runner, counts, len(docs))
			}
		}
		answersAlike(t, o.Output, docs, o.Index, []string{"w1 w3", words(r, 3), "absent"})
	}
}

// TestCollections builds versions of the test collections, with all of their queries.
func TestCollections(t *testing.T) {
	for _, name := range []string{"cacm", "cranfield"} {
		dir := filepath.Join("../../../shared/data", name)
		if _, err := os.Stat(dir); err != nil {
			t.Skip(err)
		}
		var docs []similar.Document
		for d, err := range source.Read(t.Context(), source.Options{Strict: true}, filepath.Join(dir, "docs.jsonl")) {
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, d)
		}
		lines, err := os.ReadFile(filepath.Join(dir, "queries.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		var queries []string
		for q := range strings.Lines(string(lines)) {
			_, text, _ := strings.Cut(q, "\t")
			queries = append(queries, text)
		}
		want := reference(t, docs, 4, similar.Options{})
		for _, runner := range locally {
			o := similarbeam.Options{Sources: []string{dir + "/docs.jsonl"}, Shards: 4, Output: filepath.Join(t.TempDir(), name)}
			if _, err := build(t, runner, o); err != nil {
				t.Fatal(err)
			}
			same(t, name+" by "+runner, o.Output, want)
			hits := answersAlike(t, o.Output, docs, o.Index, queries)
			t.Logf("%s by %s: %d queries, %d hits", name, runner, len(queries), hits)
			if hits < 50*len(queries) {
				t.Errorf("%s: %d hits of %d queries", name, hits, len(queries))
			}
		}
	}
}

// TestHostile reads files that are not what they should be. What is bad is counted, and all else is
// read; with Strict, the pipeline fails.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	good := []similar.Document{{ID: "a", Text: "one two"}, {ID: "b", Text: "two three"}, {ID: "c", Text: "three"}}
	whole := filepath.Join(t.TempDir(), "p.parquet")
	write(t, whole, slices.Repeat([]similar.Document{{ID: "p", Text: "four", Fields: map[string]string{"at": "1"}}}, 500))
	parquetFile, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"1.jsonl": line(good[0]) + "{\"id\":\"x\",\n" + line(good[1]) + // bad JSON
			"[1]\n" + "{\"id\":\"x\",\"id\":\"y\"}\n" + "{\"id\":\"\xff\",\"text\":\"x\"}\n" + "{\"id\":\"x\",\"text\":\"\\ud800\"}\n" + // 5 bad lines
			`{"id":"long","text":"` + strings.Repeat("x", 1<<20) + "\"}\n" + line(good[2]), // and a long one
		"2.jsonl":        `{"title":"no id","text":"five"}`,
		"3.avro":         "Obj\x01 this is none",
		"4.parquet":      "PAR1 this is none PAR1",
		"5.parquet":      string(parquetFile[:len(parquetFile)/2]),
		"6.jsonl.gz":     "no gzip",
		"7.unknown-form": "what is this",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	id := filepath.Base(dir) + "/2.jsonl#1"
	want := reference(t, append(good, similar.Document{ID: id, Title: "no id", Text: "five"}), 3, similar.Options{})
	for _, runner := range locally {
		o := similarbeam.Options{Sources: []string{dir + "/*"}, Shards: 3, MaxFile: 1 << 19, Output: filepath.Join(t.TempDir(), "v")}
		counts, err := build(t, runner, o)
		if err != nil {
			t.Fatal(err)
		}
		same(t, runner, o.Output, want)
		if counts["skipped"] != 11 {
			t.Errorf("%s: %v; want 11 that are skipped", runner, counts)
		}
		o.Strict, o.Output = true, filepath.Join(t.TempDir(), "v")
		if _, err := build(t, runner, o); err == nil || !strings.Contains(err.Error(), dir[strings.LastIndex(dir, "/")+1:]) {
			t.Errorf("%s, strictly: %v", runner, err)
		}
		if _, err := os.Stat(filepath.Join(o.Output, "manifest")); err == nil {
			t.Error("a pipeline that failed has sealed a version")
		}
		o.Sources = []string{dir + "/absent*"}
		if _, err := build(t, runner, o); err == nil || !strings.Contains(err.Error(), "absent") {
			t.Errorf("%s: a source without files: %v", runner, err)
		}
	}
}

// TestDamagedTables reads Parquet and Avro files with a byte changed or an end cut off: the pipeline's
// reader gives rows or errors, and never ends the process.
func TestDamagedTables(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var docs []similar.Document
	for i := range 200 {
		docs = append(docs, similar.Document{ID: fmt.Sprint("d", i), Title: "t", Text: words(r, 30), Fields: map[string]string{"at": "1"}})
	}
	n, failed := 300, 0
	if testing.Short() {
		n = 60
	}
	for _, form := range []string{"parquet", "avro"} {
		path := filepath.Join(t.TempDir(), "f."+form)
		write(t, path, docs)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			b := slices.Clone(whole)
			if i%5 == 0 {
				b = b[:r.IntN(len(b))]
			} else {
				for range 1 + r.IntN(3) {
					b[len(b)-1-int(float64(len(b))*r.Float64()*r.Float64()*r.Float64())] ^= byte(1 + r.IntN(255))
				}
			}
			rows, err := similarbeam.CountRows(t.Context(), form, b)
			if err != nil {
				failed++
			} else if rows > len(docs)*100 {
				t.Errorf("%s, %d: %d rows of %d", form, i, rows, len(docs))
			}
		}
	}
	t.Logf("%d of %d damaged files are refused", failed, 2*n)
	if failed < n/2 {
		t.Errorf("%d of %d damaged files are refused", failed, 2*n)
	}
}

// TestTwoWriters writes one version twice at once: of the same documents both succeed, and of others
// one is refused, and changes nothing.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.jsonl"), []similar.Document{{ID: "1", Text: "one"}, {ID: "2", Text: "two"}, {ID: "3", Text: "three"}})
	write(t, filepath.Join(dir, "b.jsonl"), []similar.Document{{ID: "1", Text: "other"}, {ID: "2", Text: "texts"}, {ID: "3", Text: "here"}})
	run := func(output string, names ...string) (errs []error) {
		errs = make([]error, len(names))
		var running sync.WaitGroup
		for i, name := range names {
			running.Go(func() {
				_, errs[i] = build(t, "direct", similarbeam.Options{Sources: []string{filepath.Join(dir, name)}, Shards: 2, Output: output})
			})
		}
		running.Wait()
		return errs
	}
	for range 20 {
		out := t.TempDir()
		if errs := run(out, "a.jsonl", "a.jsonl", "a.jsonl"); errs[0] != nil || errs[1] != nil || errs[2] != nil {
			t.Fatalf("three writers of the same: %v", errs)
		}
		before := files(t, out)
		if errs := run(out, "b.jsonl"); errs[0] == nil || !strings.Contains(errs[0].Error(), version.ErrConflict.Error()) {
			t.Fatalf("another writer: %v", errs)
		}
		after := files(t, out)
		for name, content := range before {
			if after[name] != content {
				t.Fatalf("%s was changed by a writer that was refused", name)
			}
		}
		out = t.TempDir()
		errs := run(out, "a.jsonl", "b.jsonl")
		if errs[0] == nil && errs[1] == nil {
			t.Fatal("two writers of different documents both succeeded")
		}
		for _, err := range errs {
			if err != nil && !strings.Contains(err.Error(), version.ErrConflict.Error()) {
				t.Fatal(err)
			}
		}
	}
}

// TestObjectStore writes a version to a server of S3, and has the bytes of a folder.
func TestObjectStore(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("papers"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	defer server.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	address := "s3://papers/7?region=us-east-1&use_path_style=true&disable_https=true&response_checksum_validation=when_required&endpoint=" + url.QueryEscape(server.URL)
	dir := t.TempDir()
	docs := []similar.Document{{ID: "1", Text: "one"}, {ID: "2", Text: "two"}, {ID: "3", Text: "three"}, {ID: "4", Text: "one"}}
	write(t, filepath.Join(dir, "a.jsonl"), docs)
	near := similarbeam.DuplicateOptions{Version: address, Output: strings.Replace(address, "/7?", "/groups.jsonl?", 1), Parts: 2, Cache: t.TempDir(), CacheBytes: 1 << 20}
	for range 2 { // the second job finds all there
		if _, err := find(t, "prism", similarbeam.Options{Sources: []string{dir + "/*"}, Shards: 2, Output: address}, near); err != nil {
			t.Fatal(err)
		}
	}
	if o, err := backend.GetObject("papers", "groups.jsonl", nil); err != nil {
		t.Error(err)
	} else if got, err := io.ReadAll(o.Contents); err != nil || string(got) != "[\"1\",\"4\"]\n" {
		t.Errorf("%v, the groups are %q", err, got)
	}
	want := files(t, reference(t, docs, 2, similar.Options{}))
	store, done, err := similarbeam.OpenStore(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	n := 0
	for f, err := range store.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; int64(len(want[f.Name])) != f.Size {
			t.Errorf("%s has %d bytes, want %d", f.Name, f.Size, len(want[f.Name]))
		}
	}
	if n != len(want) {
		t.Errorf("%d files, want %d", n, len(want))
	}
	for _, bad := range []string{"file://host/path", "file://", "nothing://x", "s3://papers/%zz"} {
		if _, _, err := similarbeam.OpenStore(t.Context(), bad); err == nil {
			t.Errorf("%s is opened", bad)
		}
	}
}
