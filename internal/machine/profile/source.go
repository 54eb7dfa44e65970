package profile

import (
	"maps"
	"slices"
	"strings"
)

// Source returns a line of a source file, as the PTX names it, without its line end; "" when it is
// not known. Lines count from 1.
type Source func(file string, line int) string

// tab is how far a tabulator indents where text is shown in columns.
const tab = "    "

// text is a line with spaces for tabulators.
func (s Source) text(file string, line int) string {
	if s == nil || file == "" {
		return ""
	}
	return strings.TrimRight(strings.ReplaceAll(s(file, line), "\t", tab), " ")
}

// line is the line with its indentation, or without it where only the profile knows the line.
func (s Source) line(l *Line) string {
	if text := s.text(l.File, l.Line); text != "" {
		return text
	}
	return l.Text
}

// knows says whether the text of a file is there.
func (s Source) knows(lines []*Line) bool {
	return slices.ContainsFunc(lines, func(l *Line) bool { return s.text(l.File, l.Line) != "" })
}

// Lines of source shown before and after one with counts.
const before, behind = 3, 2

// shown are the numbers of the lines of a file that a page shows: those that did something, and
// where the text is known those around them. 0 stands for lines left out.
func (s Source) shown(lines []*Line) []int {
	wanted := map[int]bool{}
	for _, l := range lines {
		wanted[l.Line] = true
		for n := l.Line - before; n <= l.Line+behind; n++ {
			if s.text(l.File, n) != "" {
				wanted[n] = true
			}
		}
	}
	var list []int
	for _, n := range slices.Sorted(maps.Keys(wanted)) {
		if len(list) > 0 {
			list = append(list, s.hole(lines[0].File, list[len(list)-1], n)...)
		}
		list = append(list, n)
	}
	return list
}

// hole is the gap to show between two lines: the empty line that parts them, or a sign that lines
// are omitted.
func (s Source) hole(file string, from, to int) []int {
	switch {
	case to == from+1:
		return nil
	case to == from+2 && s.text(file, from+1) == "":
		return []int{from + 1}
	}
	return []int{0}
}

// indented are the texts of lines, without the indentation that all lines of a file share.
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
