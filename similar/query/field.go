package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// field returns the field that a word begins with, and where the text after its colon begins.
func (p *parser) field(t token) (name string, at int, ok bool) {
	if p.options.Field == nil || t.escaped && t.suffix == t.to && t.text == "" {
		return "", 0, false
	}
	name, rest, ok := strings.Cut(p.s[t.from:t.to], ":")
	if !ok || rest == "" || name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) || !p.options.Field(name) {
		return "", 0, false
	}
	return name, t.from + len(name) + 1, true
}

// fielded reads what is said of a field, from a byte on.
func (p *parser) fielded(t token, name string, at, depth int) part {
	if r, ok := rangeOf(name, p.s[at:t.to]); ok {
		p.advance()
		return part{Item: Item{Clause: r}, from: t.from, to: t.to}
	}
	p.at = at
	p.advance()
	switch p.now.kind {
	case word, phrase, open:
	default:
		p.fail(at, "want a word, a phrase or a bracket after %s:", name)
		return part{}
	}
	options := p.options
	p.options.Field = nil // fields have no fields
	item := p.primary(depth)
	p.options = options
	if b, ok := item.Clause.(Boosted); ok {
		item.Clause = Boosted{Field{name, b.Clause}, b.Factor}
	} else {
		item.Clause = Field{name, item.Clause}
	}
	item.from, item.bare = t.from, false
	return item
}

// rangeOf reads LOW..HIGH, where one of the two may be missing, and <HIGH, <=HIGH, >LOW, >=LOW.
func rangeOf(name, text string) (r Range, ok bool) {
	r.Name = name
	if low, high, ok := strings.Cut(text, ".."); ok {
		r.Low, r.High = low, high
	} else {
		high, below := strings.CutPrefix(text, "<")
		low, above := strings.CutPrefix(text, ">")
		switch {
		case below:
			high, closed := strings.CutPrefix(high, "=")
			r.High, r.OpenHigh = high, !closed
		case above:
			low, closed := strings.CutPrefix(low, "=")
			r.Low, r.OpenLow = low, !closed
		}
	}
	return r, bounded(r.Low) && bounded(r.High) && (r.Low != "" || r.High != "")
}

// bounded reports whether a text can be a bound: no dots at its ends, nothing that is an operator.
func bounded(s string) bool {
	if strings.ContainsAny(s, "\\()\"<>") || strings.HasPrefix(s, ".") || strings.HasSuffix(s, ".") {
		return false
	}
	return s == "" || utf8.ValidString(s)
}
