package similar_test

import (
	"testing"

	"github.com/gridstride/gridstride/similar"
)

func TestFields(t *testing.T) {
	t.Parallel()
	d := &similar.Document{Fields: map[string]string{"author": "Knuth; Floyd", "year": "1964", "empty": ""}}
	for condition, want := range map[string]bool{
		"author=Knuth": true, "author=Floyd": true, "author=Knuth; Floyd": true, "author=Knu": false, "author=": false,
		"year=1964": true, "year=196": false, "empty=": true, "editor=": false, "editor=x": false, "author=Knuth=x": false,
	} {
		f, err := similar.ParseFields(condition)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Match(d); got != want {
			t.Errorf("%s: %v, want %v", condition, got, want)
		}
	}
	both, err := similar.ParseFields("author=Floyd", "year=1965")
	if err != nil || both.Match(d) || !(similar.Fields{}).Match(d) {
		t.Errorf("%v, %v", both, err)
	}
	for _, bad := range []string{"", "author", "=Knuth"} {
		if _, err := similar.ParseFields(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
