package link

import (
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestTo makes links of programs that have signs of HTML and of addresses, and reads them as the page
// does.
func TestTo(t *testing.T) {
	t.Parallel()
	for base, page := range map[string]string{
		"http://localhost:7755":                   "http://localhost:7755/try.html",
		"https://example.com/tour/":               "https://example.com/tour/try.html",
		"https://example.com/a%20b?q=1#elsewhere": "https://example.com/a%20b/try.html",
	} {
		p := Program{Text: "// <script>&\"' # ünï ☺\x00\n" + strings.Repeat("x", 1000), Launch: Launch{Grid: []int{3, 5}, Args: []string{"f32[7]=ramp", "u32=1"}}}
		got, err := To(base, p)
		if err != nil {
			t.Fatal(err)
		}
		fragment, ok := strings.CutPrefix(got, page+"#p=")
		if !ok || !regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(fragment) {
			t.Fatalf("%s: the link is %s", base, got)
		}
		var back Program
		r := flate.NewReader(base64.NewDecoder(base64.RawURLEncoding, strings.NewReader(fragment)))
		if err := json.NewDecoder(r).Decode(&back); err != nil {
			t.Fatal(err)
		}
		p.Launch.Block = []int{}
		if !reflect.DeepEqual(back, p) {
			t.Errorf("the link carries %+v, want %+v", back, p)
		}
	}
}

// TestRefused makes links that the page would refuse.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base string
		p    Program
		want string
	}{
		{"localhost:7755", Program{}, "is no address of a tour"},
		{"javascript:alert(1)", Program{}, "is no address of a tour"},
		{"http://%", Program{}, "is no address of a tour"},
		{"http://x", Program{Text: strings.Repeat("x", mostBytes)}, "carries at most 1048576"},
		{"http://x", Program{Launch: Launch{Args: make([]string, 65)}}, "at most 64"},
		{"http://x", Program{Launch: Launch{Args: []string{strings.Repeat("1", MostArg)}}}, "less than 4000"},
	} {
		if got, err := To(c.base, c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.99s, %v; want %s", c.base, got, err, c.want)
		}
	}
}
