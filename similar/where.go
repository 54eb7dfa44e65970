package similar

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Condition is what the fields of documents must meet. It is made by the functions of this file
// and does not change. A search for documents that meet conditions reads columns of the fields, which
// are made of the stored documents when they are first needed; see Query.Where.
//
// A field may list several values, parted by "; ". It has each of them and the whole.
type Condition interface {
	// Match reports whether a document meets the condition. It defines what the columns answer.
	Match(d *Document) bool
	// String is the condition in one form: two that are written alike are alike.
	String() string

	set(p *part) (bitset, error)
}

// Is is met by documents whose field has the value.
func Is(field, value string) Condition { return is{field, value} }

// WithID is met by the documents with these ids.
func WithID(list ...string) Condition { return ids(slices.Clone(list)) }

// Has is met by documents that have the field.
func Has(field string) Condition { return has{field} }

// Between is met by documents whose field has a number in low..high. Infinite bounds are none. A
// value that is no number, as strconv.ParseFloat reads it, is in no range.
func Between(field string, low, high float64) Condition { return between{field, low, high} }

// Dated is met by documents whose field has a date at or after from and before to. A zero time is no
// bound. A date is written as in RFC 3339, or as 2006-01-02, 2006-01 or 2006: the beginning of it
// counts, in UTC if it names no zone.
func Dated(field string, from, to time.Time) Condition { return dated{field, from, to} }

// All is met by documents that meet all of the conditions.
func All(list ...Condition) Condition { return all(slices.Clone(list)) }

// Any is met by documents that meet one of the conditions at least.
func Any(list ...Condition) Condition { return anyOf(slices.Clone(list)) }

// Not is met by documents that do not meet the condition.
func Not(c Condition) Condition { return not{c} }

type (
	is      struct{ field, value string }
	ids     []string
	has     struct{ field string }
	between struct {
		field     string
		low, high float64
	}
	dated struct {
		field    string
		from, to time.Time
	}
	all   []Condition
	anyOf []Condition
	not   struct{ of Condition }
)

func (c is) Match(d *Document) bool {
	return d.hasValue(c.field, func(v string) bool { return v == c.value })
}
func (c ids) Match(d *Document) bool { return slices.Contains(c, d.ID) }
func (c has) Match(d *Document) bool { _, ok := d.Fields[c.field]; return ok }
func (c between) Match(d *Document) bool {
	return d.hasValue(c.field, func(v string) bool { x, ok := numberOf(v); return ok && c.holds(x) })
}
func (c dated) Match(d *Document) bool {
	return d.hasValue(c.field, func(v string) bool { t, ok := dateOf(v); return ok && c.holds(t) })
}
func (c all) Match(d *Document) bool {
	return !slices.ContainsFunc(c, func(c Condition) bool { return !c.Match(d) })
}
func (c anyOf) Match(d *Document) bool {
	return slices.ContainsFunc(c, func(c Condition) bool { return c.Match(d) })
}
func (c not) Match(d *Document) bool { return !c.of.Match(d) }

func (c is) String() string      { return fmt.Sprintf("%q=%q", c.field, c.value) }
func (c ids) String() string     { return fmt.Sprintf("id in %q", []string(c)) }
func (c has) String() string     { return fmt.Sprintf("%q", c.field) }
func (c between) String() string { return fmt.Sprintf("%q in %v..%v", c.field, c.low, c.high) }
func (c dated) String() string {
	return fmt.Sprintf("%q in %s..%s", c.field, c.from.UTC().Format(time.RFC3339Nano), c.to.UTC().Format(time.RFC3339Nano))
}
func (c all) String() string   { return "all(" + joinConditions(c) + ")" }
func (c anyOf) String() string { return "any(" + joinConditions(c) + ")" }
func (c not) String() string   { return "not " + c.of.String() }

func joinConditions(list []Condition) string {
	var texts []string
	for _, c := range list {
		texts = append(texts, c.String())
	}
	return strings.Join(texts, ", ")
}

func (c between) holds(x float64) bool { return x >= c.low && x <= c.high }

func (c dated) holds(t time.Time) bool {
	return (c.from.IsZero() || !t.Before(c.from)) && (c.to.IsZero() || t.Before(c.to))
}

// hasValue reports whether a document has a value of a field for which a function is true.
func (d *Document) hasValue(field string, ok func(string) bool) bool {
	have, there := d.Fields[field]
	if !there {
		return false
	}
	for v := range valuesOf(have) {
		if ok(v) {
			return true
		}
	}
	return false
}

// valuesOf yields what a field has: the whole, and each of the values that it lists. One may come
// twice.
func valuesOf(field string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if !yield(field) || !strings.Contains(field, listed) {
			return
		}
		for v := range strings.SplitSeq(field, listed) {
			if !yield(v) {
				return
			}
		}
	}
}

// listed parts the values of a field that lists several.
const listed = "; "

// numberOf reads a number. Infinity and NaN are none.
func numberOf(v string) (float64, bool) {
	x, err := strconv.ParseFloat(v, 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// dateOf reads a date.
func dateOf(v string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02", "2006-01", "2006"} {
		if len(v) < 4 || len(v) < len(layout) && layout != time.RFC3339Nano {
			continue
		}
		if t, err := time.Parse(layout, v); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// maxConditions is how many conditions a query may have, those within others counted, and maxDepth how
// deep they may be nested.
const (
	maxConditions = 4096
	maxDepth      = 64
)

// checkCondition returns an error for conditions that are too many, nested too deep, or broken.
func checkCondition(c Condition, depth int, left *int) error {
	if *left--; *left < 0 || depth > maxDepth {
		return fmt.Errorf("similar: more than %d conditions, or nested deeper than %d", maxConditions, maxDepth)
	}
	var inner []Condition
	switch c := c.(type) {
	case nil:
		return fmt.Errorf("similar: a condition within another is nil")
	case between:
		if math.IsNaN(c.low) || math.IsNaN(c.high) {
			return fmt.Errorf("similar: a condition on field %q has a bound that is not a number", c.field)
		}
	case all:
		inner = c
	case anyOf:
		inner = c
	case not:
		inner = []Condition{c.of}
	}
	for _, c := range inner {
		if err := checkCondition(c, depth+1, left); err != nil {
			return err
		}
	}
	return nil
}
