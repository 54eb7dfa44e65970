package source

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzPieces holds every piece to the bounds on what the library's work grows with: marks and bytes
// between blank lines, containers and white space before a line, cells of a table. Nothing but
// markers, white space and breaks differs from the text.
func FuzzPieces(f *testing.F) {
	for _, s := range []string{"", "a", "# A\n\nb *c*\n", "> > a\n>\n> - b\n", "1. a\n2. b\n", "|a|b|\n|-|-|\n|1|2|\n", "```\n\n\n\nx\n```\n", "- - - \t- a", "\n\n\n\na\r\n"} {
		f.Add(s, uint16(1))
		f.Add(s, uint16(9999))
	}
	f.Add("* >\n", uint16(73)) // lines of markers alone, left out one after the other
	for _, s := range []string{">", "> ", "- ", "1) ", "[a](", "*a **a ", "`", "|", "|a", "a ", "é", "<!--", "\t", " ", "~~~\n", "|x|\n", "a > "} {
		f.Add(s, uint16(65535))
	}
	f.Fuzz(func(t *testing.T, s string, times uint16) {
		s = strings.Repeat(s, min(int(times), 1<<21/(len(s)+1)))
		var all []byte
		for p := range pieces(s) {
			if len(p) > 2*maxPiece+2*maxBlock+2*maxIndent+10 {
				t.Fatalf("a piece has %d bytes", len(p))
			}
			checkPiece(t, string(p))
			all = append(all, p...)
		}
		drop := func(r rune) rune {
			if strings.ContainsRune(" \t\r\n\v\f\u0085\u00a0>-+*.)0123456789", r) || r > 0x1000 {
				return -1
			}
			return r
		}
		if got, want := bytes.Map(drop, all), bytes.Map(drop, []byte(s)); !bytes.Equal(got, want) {
			t.Errorf("the pieces of %.80q differ from it: %d bytes of %d", s, len(got), len(want))
		}
	})
}

func checkPiece(t *testing.T, p string) {
	t.Helper()
	size, found, lines, bars := 0, 0, 0, 0
	for line := range strings.Lines(p) {
		rest := strings.TrimLeft(line, " \t")
		containers := 0
		for ; rest != "" && markerBytes(rest) > 0; rest = strings.TrimLeft(rest, " \t") {
			rest = rest[markerBytes(rest):]
			containers++
		}
		if containers > maxMarkers || len(line)-len(rest) > maxIndent+11*maxMarkers {
			t.Fatalf("a line begins with %d containers and %d bytes", containers, len(line)-len(rest))
		}
		if strings.TrimSpace(rest) == "" {
			size, found, lines, bars = 0, 0, 0, 0
			continue
		}
		size += len(rest)
		lines++
		bars = max(bars, 1+strings.Count(rest, "|"))
		for i := range len(rest) {
			if strings.IndexByte(marks, rest[i]) >= 0 {
				found++
			}
		}
		if size > 3*maxBlock || found > maxMarks || bars*(lines-1) > size+freeCells {
			t.Fatalf("a block has %d bytes, %d marks, and %d lines of %d cells", size, found, lines, bars)
		}
	}
}
