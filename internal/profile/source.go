package profile

import "strings"

// Source returns a line of a source file, as the PTX names it, without its line end; "" when it is not known. Lines count from 1.
type Source func(file string, line int) string

// tab is how far a tabulator indents where text is shown in columns.
const tab = "    "

// line is the line with its indentation, or without it where only the profile knows the line.
func (s Source) line(l *Line) string {
	if s != nil && l.File != "" {
		if text := s(l.File, l.Line); text != "" {
			return strings.TrimRight(strings.ReplaceAll(text, "\t", tab), " ")
		}
	}
	return l.Text
}

// indented are the texts of lines. What all lines of a file are indented by is taken away.
func indented(lines []*Line, source Source) []string {
	texts := make([]string, len(lines))
	common := map[string]int{}
	for i, l := range lines {
		texts[i] = source.line(l)
		n := indentation(texts[i])
		if have, ok := common[l.File]; texts[i] != "" && (!ok || n < have) {
			common[l.File] = n
		}
	}
	for i, l := range lines {
		if texts[i] != "" {
			texts[i] = texts[i][common[l.File]:]
		}
	}
	return texts
}

func indentation(text string) int { return len(text) - len(strings.TrimLeft(text, " ")) }
