package source

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gridstride/gridstride/similar"
)

// TestStream reads what Read would of a file of that name.
func TestStream(t *testing.T) {
	t.Parallel()
	stream := func(o Options, name string, in io.Reader) (docs []similar.Document, bad []error) {
		for d, err := range Stream(t.Context(), o, name, in) {
			if err != nil {
				bad = append(bad, err)
			} else {
				docs = append(docs, d)
			}
		}
		return docs, bad
	}
	lines := "{\"id\":\"a\",\"text\":\"one\",\"year\":7}\n{\"title\":\"no id\"}\n{"
	docs, bad := stream(Options{}, "papers/x.jsonl", strings.NewReader(lines))
	want := []similar.Document{{ID: "a", Text: "one", Fields: map[string]string{"year": "7"}}, {ID: "papers/x.jsonl#2", Title: "no id"}}
	if !reflect.DeepEqual(docs, want) {
		t.Errorf("%v, want %v", docs, want)
	}
	if len(bad) != 1 || !strings.HasPrefix(bad[0].Error(), "papers/x.jsonl:3: ") {
		t.Errorf("%v", bad)
	}
	if docs, bad = stream(Options{Form: "txt"}, "x.jsonl", strings.NewReader("one text")); len(docs) != 1 || docs[0].Text != "one text" || bad != nil {
		t.Errorf("%v, %v", docs, bad)
	}
	if _, bad = stream(Options{}, "x.unknown", strings.NewReader("")); len(bad) != 1 || !errors.Is(bad[0], ErrForm) {
		t.Errorf("%v", bad)
	}
	if _, bad = stream(Options{}, "x.jsonl", iotest.ErrReader(io.ErrUnexpectedEOF)); len(bad) != 1 || !errors.Is(bad[0], io.ErrUnexpectedEOF) {
		t.Errorf("%v", bad)
	}
}

// TestRecord reads an object, and refuses what is none.
func TestRecord(t *testing.T) {
	t.Parallel()
	d, err := Record([]byte(`{"_id":"a","title":"T","text":"x","tags":["p","q"]}`))
	if want := (similar.Document{ID: "a", Title: "T", Text: "x", Fields: map[string]string{"tags": "p; q"}}); err != nil || !reflect.DeepEqual(d, want) {
		t.Errorf("%v, %v", d, err)
	}
	if d, err := Record([]byte(`{"text":"x"}`)); err != nil || d.ID != "" {
		t.Errorf("%v, %v", d, err)
	}
	for _, bad := range []string{"", "[]", `{"a":1,"a":2}`, "{\"id\":\"\xff\"}", `{"id":"\ud800"}`} {
		if _, err := Record([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
