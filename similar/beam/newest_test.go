package beam

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar/source"
)

// CountRows counts the documents of a table, for tests.
func CountRows(ctx context.Context, form string, b []byte) (n int, err error) {
	t := tables[slices.IndexFunc(tables, func(t table) bool { return t.form == form })]
	for _, bad := range t.documents(ctx, source.Options{MaxFile: 1 << 20}, "f", bytes.NewReader(b)) {
		if bad != nil {
			err = bad
		}
		n++
	}
	return n, err
}

// TestOrdered holds values to their order.
func TestOrdered(t *testing.T) {
	t.Parallel()
	rising := []string{"", "\x00", "Inf", "NaN", "a", "ab", "b", "\u00ff", "0001-01-01", "1969-12-31T23:59:59.5Z", "1970-01-01",
		"2020-01-01T01:00:00+02:00", "2020-01-01", "2020-01-01T00:00:00.000000001Z", "-1e300", "-2.5", "-2", "-1e-9", "0", "1e-9", "3", "20", "1e300"}
	for i, a := range rising {
		for j, b := range rising {
			if got, want := strings.Compare(ordered(a), ordered(b)), min(max(i-j, -1), 1); got != want {
				t.Errorf("%q and %q compare as %d, want %d", a, b, got, want)
			}
		}
	}
	if ordered("-0") != ordered("0") || ordered("1") != ordered("1.0") {
		t.Error("equal numbers are different")
	}
	places := []place{{}, {number: 1}, {file: "a\x00b"}, {file: "a-b"}, {source: 1}, {newest: "x"}}
	for i, p := range places {
		for j, q := range places {
			if got, want := p.compare(q), min(max(i-j, -1), 1); got != want {
				t.Errorf("%v and %v compare as %d, want %d", p, q, got, want)
			}
		}
	}
}

// TestBase holds ids to what similar index gives a folder's files.
func TestBase(t *testing.T) {
	t.Parallel()
	for glob, want := range map[string]string{
		"/data/papers/*.jsonl": "/data/", "/data/papers/a*": "/data/", "papers/*": "", "notes.txt": "", "/data/notes.txt": "/data/",
		"s3://bucket/papers/2026-*/x": "s3://bucket/", "/data/p?/x": "/", "*": "",
	} {
		if got := base(glob); got != want {
			t.Errorf("%s: %q, want %q", glob, got, want)
		}
	}
}
