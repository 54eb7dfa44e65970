package query

import (
	"strconv"
	"strings"
	"unicode"
)

// A writer writes clauses in the query language.
type writer struct{ strings.Builder }

func written(c Clause) string {
	var w writer
	c.write(&w)
	return w.String()
}

func (c Words) String() string   { return written(c) }
func (c Phrase) String() string  { return written(c) }
func (c Prefix) String() string  { return written(c) }
func (c Fuzzy) String() string   { return written(c) }
func (c Boosted) String() string { return written(c) }
func (c Field) String() string   { return written(c) }
func (c Range) String() string   { return written(c) }
func (c Group) String() string   { return written(c) }

func (c Words) write(w *writer) {
	for i, word := range strings.Fields(c.Text) {
		if i > 0 {
			w.WriteByte(' ')
		}
		w.word(word)
	}
}

func (c Phrase) write(w *writer) {
	w.WriteByte('"')
	for _, r := range c.Text {
		if isQuote(r) || r == '\\' {
			w.WriteByte('\\')
		}
		w.WriteRune(r)
	}
	w.WriteByte('"')
	if c.Slop > 0 {
		w.WriteString("~" + strconv.Itoa(c.Slop))
	}
}

func (c Prefix) write(w *writer) {
	w.word(c.Text)
	w.WriteByte('*')
}

func (c Fuzzy) write(w *writer) {
	w.word(c.Text)
	w.WriteString("~" + strconv.Itoa(c.Distance))
}

func (c Boosted) write(w *writer) {
	if r, ok := c.Clause.(Range); ok {
		w.operand(Group{{Optional, r}}) // the boost would be part of its bound
	} else {
		w.operand(c.Clause)
	}
	w.WriteString("^" + strconv.FormatFloat(c.Factor, 'f', -1, 64))
}

func (c Field) write(w *writer) {
	w.WriteString(c.Name + ":")
	w.operand(c.Clause)
}

func (c Range) write(w *writer) {
	switch low, high := c, c; {
	case c.OpenLow && c.High == "":
		w.WriteString(c.Name + ":>" + c.Low)
	case c.OpenHigh && c.Low == "":
		w.WriteString(c.Name + ":<" + c.High)
	case c.OpenLow || c.OpenHigh:
		low.High, low.OpenHigh, high.Low, high.OpenLow = "", false, "", false
		w.operand(All(low, high))
	default:
		w.WriteString(c.Name + ":" + c.Low + ".." + c.High)
	}
}

func (c Group) write(w *writer) {
	for i, item := range c {
		if i > 0 {
			w.WriteByte(' ')
			if item.Occur == Optional && c[i-1].Occur == Optional {
				w.WriteString("OR ")
			}
		}
		switch item.Occur {
		case Required:
			w.WriteByte('+')
			w.signed(item.Clause)
		case Excluded:
			w.WriteByte('-')
			w.signed(item.Clause)
		default:
			w.nested(item.Clause)
		}
	}
}

// signed writes a clause that follows a sign. A sign is one only before a letter, a digit, a quote
// or a bracket.
func (w *writer) signed(c Clause) {
	var of writer
	of.operand(c)
	text := of.String()
	if l := (lexer{s: text}); l.operand(0) {
		w.WriteString(text)
		return
	}
	w.WriteString("(" + text + ")")
}

// nested writes a clause of a group.
func (w *writer) nested(c Clause) {
	if _, ok := c.(Group); ok {
		w.operand(c)
		return
	}
	c.write(w)
}

// operand writes a clause that an operator is about, in brackets if it is more than one word.
func (w *writer) operand(c Clause) {
	var of writer
	c.write(&of)
	text := of.String()
	brackets := false
	switch c := c.(type) {
	case Group, Boosted:
		brackets = true
	case Words:
		brackets = strings.ContainsFunc(text, unicode.IsSpace) || !strings.ContainsFunc(c.Text, lettered)
	}
	if brackets {
		text = "(" + text + ")"
	}
	w.WriteString(text)
}

// word writes a word so that Parse reads it as one without operators, in any place.
func (w *writer) word(s string) {
	switch s {
	case "AND", "OR", "NOT":
		w.WriteString(`\` + s)
		return
	}
	for i, r := range s {
		if isQuote(r) || strings.ContainsRune(`()*~^:\`, r) || i == 0 && (r == '+' || r == '-') {
			w.WriteByte('\\')
		}
		w.WriteRune(r)
	}
}
