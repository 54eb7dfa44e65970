package query

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Options say what a text may be about.
type Options struct {
	// Field reports whether documents may have a field of that name. "name:" is part of a word where
	// it does not, and everywhere if Field is nil.
	Field func(name string) bool
	// Typing says that the text may not be complete: the last word, if the text ends with it and no
	// operator leaves it out, is a prefix as well. One letter is none. A phrase may end with
	// the text, without a quote.
	Typing bool
}

// Parse reads a query. Text without operators is one Words with that text, whatever it is. The
// error is an *Error. Its time and memory grow with the text alone.
func Parse(text string, o Options) (Clause, error) {
	p := &parser{lexer: lexer{s: text, typing: o.Typing}, options: o, left: MaxClauses}
	p.advance()
	list := p.list(0)
	if p.err == nil && p.now.kind == closing {
		p.fail(p.now.from, "the bracket ) closes none")
	}
	if p.err != nil {
		return nil, p.err
	}
	c := complete(list.clause())
	if p.plain {
		return Words{text}, nil
	}
	if finds(c) {
		return c, nil
	}
	return nil, &Error{text, 0, "the query says only what to leave out; add a word to find"}
}

// A parser reads by recursive descent. After the first error it sees the end of the text.
type parser struct {
	lexer
	options Options
	now     token
	err     error
	plain   bool // the text is one Words
	left    int  // clauses that may still come
}

func (p *parser) fail(at int, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{p.s, at, fmt.Sprintf(format, args...)}
	}
	p.now = token{kind: end, from: len(p.s), to: len(p.s)}
	p.at = len(p.s)
}

func (p *parser) advance() {
	t, err := p.next()
	if err != nil {
		p.fail(err.Offset, "%s", err.Problem)
		return
	}
	p.now = t
}

// count counts a clause.
func (p *parser) count(at int) {
	if p.left--; p.left < 0 {
		p.fail(at, "%v", errMany)
	}
}

// A part is an item of a list, before neighbours are joined.
type part struct {
	Item
	from, to int  // of the text
	bare     bool // a word without operators
	joined   bool // by AND or OR with the one before
}

type parts []part

// clause makes one clause of the items of a list. Neighbouring bare words are one Words.
func (list parts) clause() Clause {
	var g Group
	for i := 0; i < len(list); i++ {
		item := list[i].Item
		if list[i].bare {
			text := item.Clause.(Words).Text
			if k := list.bareRun(i); k > i+1 {
				words := make([]string, 0, k-i)
				for _, p := range list[i:k] {
					words = append(words, p.Clause.(Words).Text)
				}
				text, i = strings.Join(words, " "), k-1
			}
			item.Clause = Words{text}
		}
		g = append(g, item)
	}
	if len(g) == 1 && g[0].Occur == Optional {
		return g[0].Clause
	}
	return g
}

// bareRun returns where the bare words end that begin with one.
func (list parts) bareRun(i int) int {
	i++
	for i < len(list) && list[i].bare && !list[i].joined {
		i++
	}
	return i
}

// list reads clauses up to a closing bracket or the end: those that AND joins, and between them OR or
// nothing, which means the same.
func (p *parser) list(depth int) parts {
	var list parts
	start, joined, plain := p.now.from, false, depth == 0
	for p.now.kind != end && p.now.kind != closing {
		if p.now.kind == or || p.now.kind == and {
			p.fail(p.now.from, "%s has nothing before it; want a word, a phrase or a bracket", names[p.now.kind])
			break
		}
		item := p.conjunction(depth)
		item.joined = joined
		if !item.bare || joined || len(list) == 0 || !list[len(list)-1].bare {
			p.count(item.from)
		}
		list = append(list, item)
		plain = plain && item.bare && !joined && p.s[item.from:item.to] == textOf(item.Clause)
		if joined = p.now.kind == or; joined {
			p.advance()
			p.expect(or)
		}
	}
	p.plain = plain
	if len(list) == 0 && depth > 0 && p.err == nil {
		p.fail(start, "brackets around nothing; want a word, a phrase or a bracket in them")
	}
	return list
}

// expect fails where an operator is not followed by what it is about.
func (p *parser) expect(after kind) {
	switch k := p.now.kind; k {
	case end, closing, and, or:
		p.fail(p.now.from, "want a word, a phrase or a bracket after %s, and found %s", names[after], names[k])
	}
}

// conjunction reads clauses that AND joins.
func (p *parser) conjunction(depth int) part {
	list := parts{p.signed(depth)}
	for p.now.kind == and {
		p.advance()
		if p.expect(and); p.err == nil {
			p.count(p.now.from)
			list = append(list, p.signed(depth))
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	all := Item{Clause: nil}
	var g Group
	for _, item := range list {
		if item.Occur == Required {
			all.Occur = Required
		}
		if item.Occur == Optional {
			item.Occur = Required
		}
		g = append(g, item.Item)
	}
	all.Clause = g
	return part{Item: all, from: list[0].from, to: list[len(list)-1].to}
}

// signed reads a clause that may have a sign, or NOT, before it.
func (p *parser) signed(depth int) part {
	sign := p.now
	occur := Optional
	switch sign.kind {
	case plus:
		occur = Required
	case minus, not:
		occur = Excluded
	default:
		return p.primary(depth)
	}
	p.advance()
	switch p.now.kind {
	case plus, minus, not:
		p.fail(p.now.from, "want a word, a phrase or a bracket after %s, and found %s", names[sign.kind], names[p.now.kind])
	default:
		p.expect(sign.kind)
	}
	if p.err != nil {
		return part{}
	}
	item := p.primary(depth)
	if g, ok := item.Clause.(begun); ok && occur == Excluded {
		item.Clause = g.Words
	}
	item.Occur, item.from, item.bare = occur, sign.from, false
	return item
}

// primary reads a word, a phrase or a bracket, with what follows it.
func (p *parser) primary(depth int) part {
	switch t := p.now; t.kind {
	case open:
		return p.bracket(t, depth)
	case phrase:
		return p.phrase(t)
	default:
		return p.word(t, depth)
	}
}

// bracket reads clauses in brackets.
func (p *parser) bracket(t token, depth int) part {
	if depth == MaxDepth {
		p.fail(t.from, "more than %d brackets within each other", MaxDepth)
		return part{}
	}
	p.advance()
	list := p.list(depth + 1)
	if p.err == nil && p.now.kind != closing {
		p.fail(t.from, "the bracket that begins here is not closed")
	}
	return p.ended(t.from, list.clause())
}

// phrase reads a phrase, with ~SLOP.
func (p *parser) phrase(t token) part {
	c := Phrase{Text: t.text}
	if strings.TrimSpace(t.text) == "" {
		p.fail(t.from, "the phrase has no words")
	}
	if digits, ok := p.number('~', "0123456789"); ok {
		n, err := strconv.Atoi(digits)
		if err != nil || n > MaxSlop {
			p.fail(p.at-len(digits), "a phrase with the slop %q; want 0 to %d", digits, MaxSlop)
		}
		c.Slop = n
	}
	return p.ended(t.from, c)
}

// ended returns a phrase or a bracket that began at a byte, with ^BOOST, and goes on after it.
func (p *parser) ended(from int, c Clause) part {
	if digits, ok := p.number('^', "0123456789."); ok {
		c = p.boosted(c, digits, p.at-len(digits))
	}
	to := p.at
	if p.err == nil {
		p.advance()
	}
	return part{Item: Item{Clause: c}, from: from, to: to}
}

// number reads a mark and a number where a phrase or a bracket ended, if the mark is there.
func (p *parser) number(mark byte, digits string) (text string, ok bool) {
	if p.err != nil || p.at == len(p.s) || p.s[p.at] != mark {
		return "", false
	}
	rest := p.s[p.at+1:]
	n := len(rest) - len(strings.TrimLeft(rest, digits))
	if n == 0 {
		p.fail(p.at+1, "want a number after %c", mark)
		return "", false
	}
	p.at += 1 + n
	return rest[:n], true
}

// boosted returns a clause with the boost at a byte.
func (p *parser) boosted(c Clause, digits string, at int) Clause {
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(f >= MinBoost && f <= MaxBoost) {
		p.fail(at, "a boost of %q; want %v to %v", digits, MinBoost, MaxBoost)
	}
	return Boosted{c, f}
}

// word reads a word with what follows it: a prefix, a fuzzy word, a boost.
func (p *parser) word(t token, depth int) part {
	if name, at, ok := p.field(t); ok {
		return p.fielded(t, name, at, depth)
	}
	c, bare := p.suffixed(t)
	if last, _ := utf8.DecodeLastRuneInString(t.text); p.options.Typing && bare && t.to == len(p.s) && lettered(last) && utf8.RuneCountInString(t.text) > 1 {
		c, bare = begun{c.(Words)}, false
	}
	if p.err == nil {
		p.advance()
	}
	return part{Item: Item{Clause: c}, from: t.from, to: t.to, bare: bare}
}

// suffixed returns the clause of a word, and whether it is without operators.
func (p *parser) suffixed(t token) (c Clause, bare bool) {
	rest, boost := cutNumber(p.s[t.suffix:t.to], '^', "0123456789.")
	rest, distance := cutNumber(rest, '~', "0123456789")
	fuzzy := distance != ""
	if !fuzzy {
		rest, fuzzy = strings.CutSuffix(rest, "~")
	}
	prefix := false
	if !fuzzy {
		rest, prefix = strings.CutSuffix(rest, "*")
	}
	text := t.text[:len(t.text)-(t.to-t.suffix-len(rest))]
	last, _ := utf8.DecodeLastRuneInString(text)
	if boost == "" && !fuzzy && !prefix || strings.ContainsRune("*~^", last) && t.suffix < t.to-len(rest) || !strings.ContainsFunc(text, lettered) {
		return Words{t.text}, true
	}
	switch {
	case fuzzy:
		n := 1
		if distance != "" {
			var err error
			if n, err = strconv.Atoi(distance); err != nil || n < 1 || n > MaxDistance {
				p.fail(t.from, "the fuzzy word %q with a distance of %s; want 1 to %d", text, distance, MaxDistance)
			}
		}
		c = Fuzzy{text, n}
	case prefix:
		c = Prefix{text}
	default:
		c = Words{text}
	}
	if boost != "" {
		c = p.boosted(c, boost, t.to-len(boost))
	}
	return c, false
}

// begun is the last word of a text that may not be complete, while the text is read.
type begun struct{ Words }

// clause is the word or what begins so.
func (b begun) clause() Clause { return Any(b.Words, Prefix{b.Text}) }

func lettered(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// cutNumber cuts a mark and a number off the end of a text.
func cutNumber(s string, mark byte, digits string) (rest, number string) {
	rest = strings.TrimRight(s, digits)
	if len(rest) == len(s) || !strings.HasSuffix(rest, string(mark)) {
		return s, ""
	}
	return rest[:len(rest)-1], s[len(rest):]
}

// complete returns a clause without a begun one.
func complete(c Clause) Clause {
	switch c := c.(type) {
	case begun:
		return c.clause()
	case Field:
		return Field{c.Name, complete(c.Clause)}
	case Group:
		g := make(Group, len(c))
		for i, item := range c {
			g[i] = Item{item.Occur, complete(item.Clause)}
		}
		return g
	}
	return c
}

// finds reports whether a clause has anything that documents are found by.
func finds(c Clause) bool {
	found := false
	walk(c, func(Clause) { found = true })
	return found
}
