package source

import (
	"bytes"
	"context"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	rendered "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// markdown reads Markdown, GitHub's with tables, by way of HTML. Raw HTML in it stays.
//
// The library takes time and memory that grow with the square of some blocks. It is given pieces of
// the file, and blocks, that are bounded, so that all of a file takes time and memory in proportion
// to its bytes. What a reference to another piece of the file names is not looked up.
func markdown(ctx context.Context, data []byte, limit int64) (title, text string, err error) {
	_, s, err := plainText(ctx, data, limit)
	if err != nil {
		return "", "", err
	}
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
		goldmark.WithRendererOptions(rendered.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(textOnly{}, 1))))
	w := newHTMLWriter()
	for piece := range pieces(s) {
		if err := ctx.Err(); err != nil {
			return "", "", err
		}
		var b bytes.Buffer
		if err := md.Convert(piece, &b); err != nil {
			return "", "", err
		}
		if err := w.read(&b); err != nil {
			return "", "", err
		}
	}
	title, text = w.result()
	return title, text, nil
}

// textOnly renders links without their addresses: many links may share one long address.
type textOnly struct{}

func (textOnly) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	link := func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkContinue, nil }
	r.Register(ast.KindLink, link)
	r.Register(ast.KindImage, link)
}

// Bounds of what the library is given.
const (
	maxPiece   = 1 << 20 // bytes of a piece, without its last block
	maxBlock   = 1 << 15 // bytes without a blank line; twice as many of one word
	maxMarks   = 256     // characters of marks without a blank line
	maxMarkers = 100     // containers, such as quotes, that one line begins
	maxIndent  = 300     // columns of white space that a line begins with
	freeCells  = 1000    // of a block that may be a table; it may have one more for each byte
)

// marks are the characters for which the library looks for the other end of something.
const marks = "*_`~[]<"

// pieces yields a text in pieces that the library reads in bounded time.
func pieces(s string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var t tamer
		for s != "" {
			s = t.step(s)
			if len(t.out) >= maxPiece && t.bytes == 0 && t.fence == 0 || len(t.out) >= 2*maxPiece {
				if !yield(t.out) {
					return
				}
				t = tamer{}
			}
		}
		if len(t.out) > 0 {
			yield(t.out)
		}
	}
}

// tamer copies Markdown, and parts what is larger than the bounds by blank lines. The words stay the
// same. A mark whose other end is in another part is read as the character that it is.
type tamer struct {
	out   []byte
	bytes int  // of the block, which follows a blank line
	marks int  // of the block
	lines int  // of the block
	bars  int  // most in a line of the block
	blank int  // blank lines, one after the other
	fence byte // the character of the fence of the code that is read, or 0
}

// step copies a line, or the part of it that belongs to one block, and returns the rest.
func (t *tamer) step(s string) (rest string) {
	start := len(t.out)
	s = t.prefix(s)
	if line, rest, _ := strings.Cut(s, "\n"); strings.TrimSpace(line) == "" {
		t.out = append(t.out, '\n')
		if t.blank++; t.blank > 2 {
			t.out = t.out[:start]
		}
		t.bytes, t.marks, t.lines, t.bars = 0, 0, 0, 0
		return rest
	}
	t.blank = 0
	t.fenced(s)
	bars := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n':
			t.out = append(t.out, s[:i+1]...)
			t.lines++
			if t.bars = max(t.bars, bars+1); t.bars*t.lines > t.bytes+freeCells {
				t.part()
			}
			return s[i+1:]
		case c == '|':
			bars++
		case strings.IndexByte(marks, c) >= 0:
			t.marks++
		}
		t.bytes++
		if t.marks == maxMarks || t.bytes >= maxBlock && s[i] == ' ' || t.bytes >= 2*maxBlock && (i+1 == len(s) || utf8.RuneStart(s[i+1])) {
			t.out = append(t.out, s[:i+1]...)
			t.part()
			return s[i+1:]
		}
	}
	t.out = append(t.out, s...)
	return ""
}

// part ends the block.
func (t *tamer) part() {
	t.out = append(t.out, "\n\n"...)
	t.bytes, t.marks, t.lines, t.bars = 0, 0, 0, 0
}

// prefix copies what a line begins with: spaces and the markers of quotes and lists, up to the
// bounds. It returns what follows.
func (t *tamer) prefix(s string) (rest string) {
	columns, markers := 0, 0
	for s != "" {
		n := markerBytes(s)
		switch {
		case s[0] == ' ' || s[0] == '\t':
			n = 1
			if columns++; s[0] == '\t' {
				columns += 3
			}
			if columns > maxIndent {
				s = s[n:]
				continue
			}
		case n == 0:
			return s
		default:
			if markers++; markers > maxMarkers {
				s = s[n:]
				continue
			}
		}
		t.out = append(t.out, s[:n]...)
		s = s[n:]
	}
	return s
}

// markerBytes is the length of the marker of a quote or a list item that s begins with, or 0.
func markerBytes(s string) int {
	digits := 0
	for digits < min(len(s), 10) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	switch {
	case s[0] == '>':
		return 1
	case digits == len(s) || digits == 0 && !strings.ContainsRune("-+*", rune(s[0])), digits > 0 && s[digits] != '.' && s[digits] != ')':
		return 0
	case digits+1 < len(s) && s[digits+1] != ' ' && s[digits+1] != '\t' && s[digits+1] != '\n':
		return 0
	}
	return digits + 1
}

// fenced follows the fences of code.
func (t *tamer) fenced(s string) {
	switch {
	case !strings.HasPrefix(s, "```") && !strings.HasPrefix(s, "~~~"):
	case t.fence == 0:
		t.fence = s[0]
	case t.fence == s[0]:
		t.fence = 0
	}
}
