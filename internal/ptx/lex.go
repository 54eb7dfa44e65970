package ptx

import (
	"strconv"
	"strings"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokIdent            // add, %r1, $L__BB0_2, WARP_SZ
	tokDot              // .global, .v4, .shared::cta, without the dot
	tokNumber           // 12, 0x1F, 0f3F800000, 1.5, 12U
	tokString           // "dot.go", without the quotes, escapes undone
	tokPunct            // one byte of punctuation
	tokBad              // a byte that no token starts with, or a string without an end
)

// token is one token. text is a piece of the source except for a string with escapes.
type token struct {
	kind       tokenKind
	text       string
	pos        Pos
	start, end int // byte offsets in the source
}

// is reports whether t is the punctuation c.
func (t token) is(c byte) bool { return t.kind == tokPunct && t.text[0] == c }

// String describes the token for an error message.
func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "end of file"
	case tokDot:
		return "." + t.text
	case tokString, tokBad:
		return strconv.Quote(t.text)
	}
	return t.text
}

// lexer splits PTX text into tokens.
type lexer struct {
	src       string
	off       int
	line      int
	lineStart int // offset of the current line's first byte
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isFollow(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '$' }

// byteAt returns the byte at offset i, 0 past the end.
func (l *lexer) byteAt(i int) byte {
	if i < len(l.src) {
		return l.src[i]
	}
	return 0
}

// skipSpace moves to the next token's first byte, over white space and both kinds of comment.
func (l *lexer) skipSpace() {
	for l.off < len(l.src) {
		switch c := l.src[l.off]; {
		case c == '\n':
			l.off++
			l.newline()
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.off++
		case c == '/' && l.byteAt(l.off+1) == '/':
			l.skipLine()
		case c == '/' && l.byteAt(l.off+1) == '*':
			l.skipComment()
		case c == '#' && l.atLineStart():
			l.skipLine() // a line marker of the C preprocessor
		default:
			return
		}
	}
}

func (l *lexer) newline() {
	l.line++
	l.lineStart = l.off
}

// atLineStart reports whether only white space precedes the current byte in its line.
func (l *lexer) atLineStart() bool {
	return strings.TrimSpace(l.src[l.lineStart:l.off]) == ""
}

// skipLine moves to the end of the line.
func (l *lexer) skipLine() {
	if i := strings.IndexByte(l.src[l.off:], '\n'); i >= 0 {
		l.off += i
		return
	}
	l.off = len(l.src)
}

// skipComment moves past a /* comment */, or to the end of the file if the comment has no end.
func (l *lexer) skipComment() {
	l.off += 2
	for l.off < len(l.src) {
		if l.src[l.off] == '*' && l.byteAt(l.off+1) == '/' {
			l.off += 2
			return
		}
		l.off++
		if l.src[l.off-1] == '\n' {
			l.newline()
		}
	}
}

// next returns the next token.
func (l *lexer) next() token {
	l.skipSpace()
	t := token{start: l.off, end: l.off, pos: Pos{Line: l.line, Col: l.off - l.lineStart + 1}}
	if l.off >= len(l.src) {
		return t
	}
	switch c := l.src[l.off]; {
	case isLetter(c), (c == '_' || c == '$' || c == '%') && isFollow(l.byteAt(l.off+1)), c == '_':
		t.kind = tokIdent
		l.off++
		l.word()
	case isDigit(c):
		t.kind = tokNumber
		l.number()
	case c == '.' && isFollow(l.byteAt(l.off+1)):
		t.kind = tokDot
		l.off++
		l.word()
		for l.byteAt(l.off) == ':' && l.byteAt(l.off+1) == ':' && isFollow(l.byteAt(l.off+2)) {
			l.off += 2
			l.word()
		}
		t.end = l.off
		t.text = l.src[t.start+1 : t.end]
		return t
	case c == '"':
		return l.str(t)
	case strings.IndexByte("{}()[]<>,;:+-*/%|&^~!@=?.", c) >= 0:
		t.kind = tokPunct
		l.off++
	default:
		t.kind = tokBad
		l.off++
		for l.off < len(l.src) && l.src[l.off] >= 0x80 { // the rest of a UTF-8 sequence
			l.off++
		}
	}
	t.end = l.off
	t.text = l.src[t.start:t.end]
	return t
}

// word moves past letters, digits, '_' and '$'.
func (l *lexer) word() {
	for isFollow(l.byteAt(l.off)) {
		l.off++
	}
}

// number moves past an integer or floating-point constant.
func (l *lexer) number() {
	if l.src[l.off] == '0' && isLetter(l.byteAt(l.off+1)) { // 0x, 0b, 0f, 0d, 0U
		l.word()
		return
	}
	for isDigit(l.byteAt(l.off)) {
		l.off++
	}
	if l.byteAt(l.off) == '.' && isDigit(l.byteAt(l.off+1)) {
		l.off++
		for isDigit(l.byteAt(l.off)) {
			l.off++
		}
	}
	if c := l.byteAt(l.off); c == 'e' || c == 'E' {
		if s := l.byteAt(l.off + 1); (s == '+' || s == '-') && isDigit(l.byteAt(l.off+2)) {
			l.off += 2
		}
	}
	l.word()
}

// str scans a string that starts at the current byte. Only \\ and \" are escapes: a file name of
// Windows may hold any other pair.
func (l *lexer) str(t token) token {
	t.kind = tokString
	l.off++
	from := l.off
	escaped := false
	for l.off < len(l.src) && l.src[l.off] != '"' && l.src[l.off] != '\n' {
		if c := l.byteAt(l.off + 1); l.src[l.off] == '\\' && (c == '\\' || c == '"') {
			escaped = true
			l.off++
		}
		l.off++
	}
	if l.byteAt(l.off) != '"' {
		t.kind = tokBad
		t.end = l.off
		t.text = l.src[t.start:t.end]
		return t
	}
	t.text = l.src[from:l.off]
	if escaped {
		t.text = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(t.text)
	}
	l.off++
	t.end = l.off
	return t
}

// rawBlock returns the text up to the '}' that ends a section, without comments, and moves past it.
// The second result is false where the file ends first.
func (l *lexer) rawBlock() (string, bool) {
	var b strings.Builder
	for l.off < len(l.src) {
		switch c := l.src[l.off]; {
		case c == '}':
			l.off++
			return b.String(), true
		case c == '/' && l.byteAt(l.off+1) == '/':
			l.skipLine()
		case c == '/' && l.byteAt(l.off+1) == '*':
			l.skipComment()
			b.WriteByte(' ')
		default:
			b.WriteByte(c)
			l.off++
			if c == '\n' {
				l.newline()
			}
		}
	}
	return b.String(), false
}
