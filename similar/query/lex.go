package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a piece of a query's text.
type token struct {
	kind     kind
	from, to int    // bytes of the text
	text     string // of a word or a phrase, without escapes
	escaped  bool   // the text has escapes that this one lacks
	suffix   int    // of a word: * ~ ^ have their meaning from here on
}

type kind uint8

const (
	end kind = iota
	word
	phrase
	open
	closing
	plus
	minus
	and
	or
	not
)

// names are the tokens as errors name them.
var names = [...]string{end: "the end", closing: "the bracket )", and: "AND", or: "OR", not: "NOT", plus: "+", minus: "-"}

// A lexer cuts a text into tokens. An operator is one only where text seldom has it: + and - before
// a word and after a space, a bracket where a word would begin, AND, OR and NOT in capitals.
type lexer struct {
	s      string
	at     int
	typing bool // the last quote may be missing
}

// next returns the next token.
func (l *lexer) next() (token, *Error) {
	l.at += len(l.s[l.at:]) - len(strings.TrimLeftFunc(l.s[l.at:], unicode.IsSpace))
	t := token{from: l.at, to: l.at}
	if l.at == len(l.s) {
		return t, nil
	}
	r, n := utf8.DecodeRuneInString(l.s[l.at:])
	switch {
	case r == '(':
		t.kind = open
	case r == ')':
		t.kind = closing
	case isQuote(r):
		return l.phrase(t, n)
	case r == '+' && l.operand(l.at+n):
		t.kind = plus
	case r == '-' && l.operand(l.at+n):
		t.kind = minus
	default:
		return l.word(t), nil
	}
	l.at += n
	t.to = l.at
	return t, nil
}

// isQuote reports whether a character opens and closes a phrase: the quote of typewriters, and those
// that telephones put in its place.
func isQuote(r rune) bool { return r == '"' || r == '“' || r == '”' || r == '„' }

// operand reports whether what can follow a sign begins here.
func (l *lexer) operand(at int) bool {
	r, n := utf8.DecodeRuneInString(l.s[at:])
	if r == '\\' {
		r, _ = utf8.DecodeRuneInString(l.s[at+n:])
		return special(r)
	}
	return r == '(' || isQuote(r) || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// special reports whether a backslash takes the meaning from a character.
func special(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSymbol(r)) || isQuote(r)
}

// phrase reads a phrase, whose opening quote takes n bytes.
func (l *lexer) phrase(t token, n int) (token, *Error) {
	var b strings.Builder
	t.kind = phrase
	for at := l.at + n; at < len(l.s); {
		r, n := utf8.DecodeRuneInString(l.s[at:])
		if isQuote(r) {
			l.at, t.to, t.text = at+n, at+n, b.String()
			return t, nil
		}
		if after, m := utf8.DecodeRuneInString(l.s[at+n:]); r == '\\' && (isQuote(after) || after == '\\') {
			at, n = at+n, m
		}
		b.WriteString(l.s[at : at+n])
		at += n
	}
	if l.typing {
		l.at, t.to, t.text = len(l.s), len(l.s), b.String()
		return t, nil
	}
	return t, &Error{l.s, t.from, "the phrase that begins here has no quote at its end"}
}

// word reads up to white space, or to a bracket that the word did not open.
func (l *lexer) word(t token) token {
	var b strings.Builder
	t.kind, t.suffix = word, t.from
	depth, at := 0, l.at
	for at < len(l.s) {
		r, n := utf8.DecodeRuneInString(l.s[at:])
		if unicode.IsSpace(r) || r == ')' && depth == 0 {
			break
		}
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case '\\':
			if after, m := utf8.DecodeRuneInString(l.s[at+n:]); special(after) {
				at, n, t.escaped, t.suffix = at+n, m, true, at+n+m
			}
		}
		b.WriteString(l.s[at : at+n])
		at += n
	}
	l.at, t.to, t.text = at, at, b.String()
	if t.escaped {
		return t
	}
	if name, rest := escapedOperator(t.text); name != "" {
		t.text, t.escaped, t.suffix = name+rest, true, t.to-len(rest)
		return t
	}
	switch t.text {
	case "AND":
		t.kind = and
	case "OR":
		t.kind = or
	case "NOT":
		t.kind = not
	}
	return t
}

// escapedOperator returns the operator's name that a word is with a backslash before it, and what
// follows that.
func escapedOperator(s string) (name, rest string) {
	s, ok := strings.CutPrefix(s, `\`)
	for _, name := range names[and : not+1] {
		if rest, is := strings.CutPrefix(s, name); ok && is && (rest == "" || strings.ContainsRune("*~^", rune(rest[0]))) {
			return name, rest
		}
	}
	return "", ""
}
