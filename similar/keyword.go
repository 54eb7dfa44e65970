package similar

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
)

// A keyword has a separate term for each value, which no text has: a zero byte, the name of the field,
// a zero byte and the value. So a prefix of words and a fuzzy word never stand for one.

// special is the beginning of terms that are no words.
const special = "\x00"

// keywordTerm is the term of a keyword. A long one has a hash instead.
func keywordTerm(field, value string) string {
	if len(field)+len(value) <= text.MaxWord && field != "" && field[0] >= ' ' && !strings.Contains(field, special) && !strings.Contains(value, special) {
		return special + field + special + value
	}
	h := sha256.New()
	h.Write(binary.AppendUvarint(nil, uint64(len(field))))
	h.Write([]byte(field))
	h.Write([]byte(value))
	return special + special + hex.EncodeToString(h.Sum(nil)[:16])
}

// shownTerm is a term as people read it: of a keyword what a query says, and its name if it is long.
func shownTerm(term string) string {
	rest, ok := strings.CutPrefix(term, special)
	if !ok {
		return strings.Clone(term)
	}
	if field, value, ok := strings.Cut(rest, special); ok && field != "" {
		return query.Field{Name: field, Clause: query.Phrase{Text: value}}.String()
	}
	return strings.TrimLeft(rest, special)
}

// value compiles a clause about the field of the compiler, whose type is not text. The clause has
// words itself. A keyword counts as a word does; numbers and dates choose among documents.
func (m *compiler) value(c query.Clause, r rule, factor float64) (*condition, error) {
	var texts []string
	switch c := c.(type) {
	case query.Words:
		texts = strings.Fields(c.Text)
	case query.Phrase:
		texts = []string{c.Text}
	case query.Prefix:
		if r.kind == KeywordField {
			return m.keywordsFrom(c.Text, factor)
		}
	}
	if texts == nil {
		return nil, fmt.Errorf("similar: %w: %s in the field %s, whose type is %s; want a value or a range", ErrQuery, c, m.field, r.kind)
	}
	if r.kind == KeywordField {
		found := &condition{}
		for _, s := range texts {
			t := keywordTerm(m.field, s)
			m.count(t, factor)
			found.words = append(found.words, []int{m.number(t)})
		}
		return found, nil
	}
	var list []Condition
	for _, s := range texts {
		of, err := r.equal(m.field, s)
		if err != nil {
			return nil, err
		}
		list = append(list, of)
	}
	m.ranges = true
	return &condition{where: Any(list...)}, nil
}

// keywordsFrom compiles a prefix of a keyword.
func (m *compiler) keywordsFrom(prefix string, factor float64) (*condition, error) {
	if err := m.x.expandable(); err != nil {
		return nil, err
	}
	b := &best{most: MaxPrefixTerms, special: true}
	m.v.withPrefix(b, special+m.field+special+prefix)
	return m.anyOf(&condition{}, nil, b.list, factor), nil
}

// equal is met by documents whose field has a number, or a date in the year, month or day that is
// named.
func (r rule) equal(field, value string) (Condition, error) {
	if r.kind == DateField {
		if t, ok := dateOf(value); ok {
			return Dated(field, t, after(t, value)), nil
		}
		return nil, fmt.Errorf("similar: %w: %s:%q: the field is of dates; want one such as 1969, 1969-07 or 1969-07-20", ErrQuery, field, value)
	}
	if x, ok := numberOf(value); ok {
		return Between(field, x, x), nil
	}
	return nil, fmt.Errorf("similar: %w: %s:%q: the field is of numbers; want one such as 12 or -0.5", ErrQuery, field, value)
}
