package sourcetext

import "strings"

// Texts are source files in memory, by the names that PTX gives them
// ("example.com/m/dot/kernel.go").
type Texts map[string]string

// Line is a line of a file without its line end, counted from 1, or "" if there is no such file or
// line.
func (t Texts) Line(file string, line int) string {
	n := 0
	for text := range strings.Lines(t[file]) {
		if n++; n == line {
			return strings.TrimRight(text, "\r\n")
		}
	}
	return ""
}

// Source is the text of a file. atHand is false for a file that is not among the texts.
func (t Texts) Source(file string) (text []byte, atHand bool) {
	s, ok := t[file]
	return []byte(s), ok
}
