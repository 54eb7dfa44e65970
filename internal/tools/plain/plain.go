// Package plain keeps what a terminal obeys out of text. Sources, and names of files, kernels and
// labels, may hold bytes that recolour a terminal, overwrite what it shows or fill its clipboard.
package plain

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is text with every control character, every character that sets the direction of the text
// after it, and every byte that is no UTF-8 written as in Go: "\x1b", "\u0085". Tabs and line ends
// stay. JSON stays JSON with the same meaning: its encoders escape what is below U+0020, and a
// character from U+007F on becomes an escape that JSON has, too.
func Text(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return isObeyed(r) && r != '\n' && r != '\t' || r == utf8.RuneError }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n', r == '\t', r == '\r' && strings.HasPrefix(s[i+1:], "\n"), !isObeyed(r):
			b.WriteString(s[i : i+n])
		case r >= 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\x%02x`, r)
		}
		i += n
	}
	return b.String()
}

// isObeyed reports whether a terminal does something else with a character than showing it.
func isObeyed(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// writer writes text as Text gives it.
type writer struct {
	w    io.Writer
	held []byte // the begin of a character whose rest is to come
}

// NewWriter returns a writer that writes to w what Text makes of what it gets. A character may be
// written in pieces. It is not for use from several goroutines at once, unless each writes whole
// characters and w takes that.
func NewWriter(w io.Writer) io.Writer { return &writer{w: w} }

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	text := p
	if len(w.held) > 0 {
		text = append(w.held, p...)
		w.held = nil
	}
	if end := whole(text); end < len(text) {
		w.held = append([]byte(nil), text[end:]...)
		text = text[:end]
	}
	if _, err := io.WriteString(w.w, Text(string(text))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// whole is the length of text without a character at its end that is not there in full.
func whole(text []byte) int {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return i
			}
			break
		}
	}
	return len(text)
}

// Raw returns the writer below a writer of NewWriter, and any other writer itself: for output that
// is a program's own.
func Raw(w io.Writer) io.Writer {
	if p, ok := w.(*writer); ok {
		return p.w
	}
	return w
}
