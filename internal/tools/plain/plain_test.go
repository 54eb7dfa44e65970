package plain

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// TestText escapes what a terminal would obey, and nothing else, also if it is written byte by
// byte.
func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "",
		"a\tb\nc\r\nπ 日本 ×\n":     "a\tb\nc\r\nπ 日本 ×\n",
		"\x1b[31mred\x1b[0m":      `\x1b[31mred\x1b[0m`,
		"\x1b]52;c;aGk=\x07":      `\x1b]52;c;aGk=\x07`,
		"\u009b2J":                `\u009b2J`,
		"over\rwritten\b\x7f\x00": `over\x0dwritten\x08\u007f\x00`,
		"no UTF-8 \x9b\xff":       `no UTF-8 \x9b\xff`,
		"\ufffd":                  "\ufffd",
		"\u202eabc\u2069 e\u200d": `\u202eabc\u2069 e` + "\u200d",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if strings.Contains(text, "\r\n") {
			continue // the end of a line in two pieces is no end of a line
		}
		var b strings.Builder
		w := NewWriter(&b)
		for i := range len(text) {
			if n, err := w.Write([]byte(text[i : i+1])); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		if got := b.String(); got != want {
			t.Errorf("%q byte by byte becomes %q, want %q", text, got, want)
		}
	}
	var b strings.Builder
	if Raw(NewWriter(&b)) != any(&b) || Raw(&b) != any(&b) {
		t.Error("Raw gives another writer")
	}
}

// TestTextOfJSON writes every character as JSON: a program reads back the same characters, and a
// terminal gets nothing that it would obey.
func TestTextOfJSON(t *testing.T) {
	t.Parallel()
	for _, escapeHTML := range []bool{false, true} {
		var all strings.Builder
		for r := rune(0); r <= 0xffff; r++ {
			all.WriteRune(r)
		}
		all.WriteString(`\\u0085 \x85 ` + "\\\u0085 \"\u009b\" 😀 \U000e0001")
		var out strings.Builder
		e := json.NewEncoder(NewWriter(&out))
		e.SetEscapeHTML(escapeHTML)
		want := map[string]string{all.String(): all.String(), "\u0080": "\u007f"}
		if err := e.Encode(want); err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		if err := json.Unmarshal([]byte(out.String()), &got); err != nil || !maps.Equal(got, want) {
			t.Errorf("reads back otherwise: %v", err)
		}
		for _, r := range strings.TrimSuffix(out.String(), "\n") {
			if isObeyed(r) {
				t.Errorf("%U is written as it is", r)
			}
		}
	}
}
