package similar_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/query"
)

// TestVersions opens indices that earlier versions of the package saved: they are searched, saved as
// they are, and merged to the present version.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"version2", "version3", "version4"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			testVersion(t, version)
		})
	}
}

func testVersion(t *testing.T, version string) {
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "idx")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", version))); err != nil {
		t.Fatal(err)
	}
	if err := similar.Verify(ctx, dir); err != nil {
		t.Fatal(err)
	}
	x, err := similar.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	holds := func(what string, x *similar.Index) {
		t.Helper()
		want := 198
		if version > "version2" { // which has several blocks of stored text
			d, err := x.Document("long")
			if want++; err != nil || d.Text != strings.Repeat("quite long and longer ", 2000) {
				t.Fatalf("%s: the long document has %d bytes, %v", what, len(d.Text), err)
			}
		}
		if x.Len() != want {
			t.Fatalf("%s: %d documents, want %d", what, x.Len(), want)
		}
		for i := range 200 {
			d, err := x.Document(fmt.Sprintf("d%03d", i))
			if i == 7 || i == 150 {
				if !errors.Is(err, similar.ErrUnknown) {
					t.Fatalf("%s: document %d, which is deleted: %v", what, i, err)
				}
				continue
			}
			if err != nil || d.Title != fmt.Sprintf("title %d", i) || d.Text != fmt.Sprintf("heap number%d of%d common", i, i%7) || (d.Fields["year"] == fmt.Sprint(1900+i)) != (i%2 == 0) || (d.Vector != nil) != (i%3 == 0) {
				t.Fatalf("%s: document %d is %+v, %v", what, i, d, err)
			}
		}
		hits, err := x.Search(ctx, similar.Query{Text: "number42 common", Where: similar.Between("year", 1940, 1950), K: -1})
		if err != nil || len(hits) != 6 || hits[0].Document.ID != "d042" {
			t.Fatalf("%s: a search found %d, %v", what, len(hits), err)
		}
		hits, err = x.Search(ctx, similar.Query{Clause: query.Phrase{Text: "of3 common"}, K: -1})
		if err != nil || len(hits) != 28 || hits[0].Document.ID != "d003" {
			t.Fatalf("%s: a phrase is found %d times, %v", what, len(hits), err)
		}
		if b, err := x.Catalog(); string(b) != "catalog" || err != nil {
			t.Fatalf("%s: the catalog is %q, %v", what, b, err)
		}
	}
	holds("as it was", x)
	copied := filepath.Join(t.TempDir(), "copied")
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"saved", func() error { return x.Save(ctx, copied) }},
		{"merged", func() error { return errors.Join(x.Compact(ctx), x.Save(ctx, copied)) }},
	} {
		if err := errors.Join(step.do(), similar.Verify(ctx, copied)); err != nil {
			t.Fatal(err)
		}
		holds(step.what, x)
		again, err := similar.Open(ctx, copied)
		if err != nil {
			t.Fatal(err)
		}
		holds(step.what+" and opened", again)
		again.Close()
	}
	// A new document goes with the old ones.
	err = errors.Join(x.Add(ctx, similar.Document{ID: "new", Text: "of3 common"}), x.Compact(ctx), x.Save(ctx, copied), similar.Verify(ctx, copied))
	hits, err2 := x.Search(ctx, similar.Query{Clause: query.Phrase{Text: "of3 common"}, K: 1})
	if err := errors.Join(err, err2); err != nil || len(hits) != 1 || hits[0].Document.ID != "new" {
		t.Fatalf("with a new document a phrase is found in %v, %v", hits, err)
	}
}
