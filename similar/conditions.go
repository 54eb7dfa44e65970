package similar

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gridstride/gridstride/similar/query"
)

// ParseConditions reads conditions that must all hold. Each is NAME=VALUE, NAME!=VALUE, or NAME, one
// of <, <=, >, >= and a number or a date, as in "year>=1969" or "sent<2020-02". A date stands for all
// of its year, month or day: a time in it is neither before nor after it. A year is a number, too.
func ParseConditions(list ...string) (Condition, error) {
	var conditions []Condition
	for _, text := range list {
		c, err := parseCondition(text)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, c)
	}
	return All(conditions...), nil
}

// Conditions reads conditions as [ParseConditions] does, by the schema of the index: NAME=VALUE and
// NAME!=VALUE are of equal numbers where the field is of numbers, and of all of a year, month or day
// where it is of dates. A value that such a field cannot have is an error.
func (x *Searcher) Conditions(list ...string) (Condition, error) {
	var conditions []Condition
	for _, text := range list {
		name, sign, value, err := cutCondition(text)
		if err != nil {
			return nil, err
		}
		var of Condition
		if r := x.schema.of(name); (sign == "=" || sign == "!=") && value != "" && (r.kind == NumberField || r.kind == DateField) {
			of, err = r.equal(name, value)
			if err == nil && sign == "!=" {
				of = Not(of)
			}
		} else {
			of, err = parseCondition(text)
		}
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, of)
	}
	return All(conditions...), nil
}

// cutCondition cuts a condition into the name of a field, a sign and a value.
func cutCondition(text string) (name, sign, value string, err error) {
	at := strings.IndexAny(text, "=<>")
	if at < 0 {
		return "", "", "", fmt.Errorf("similar: condition %q; want NAME=VALUE, or !=, <, <=, > or >= between them", text)
	}
	name, sign, value = text[:at], text[at:at+1], text[at+1:]
	switch {
	case sign != "=" && strings.HasPrefix(value, "="):
		sign, value = sign+"=", value[1:]
	case sign == "=" && strings.HasSuffix(name, "!"):
		name, sign = name[:at-1], "!="
	}
	if name == "" {
		return "", "", "", fmt.Errorf("similar: condition %q: there is no name before %s", text, sign)
	}
	return name, sign, value, nil
}

func parseCondition(text string) (Condition, error) {
	name, sign, value, err := cutCondition(text)
	switch {
	case err != nil:
		return nil, err
	case sign == "=":
		return Is(name, value), nil
	case sign == "!=":
		return Not(Is(name, value)), nil
	}
	return comparison(name, sign, value, text)
}

// comparison is met by fields with a number or a date on one side of another. Text is the user's
// text.
func comparison(name, sign, value, text string) (Condition, error) {
	x, isNumber := numberOf(value)
	date, isDate := dateOf(value)
	switch {
	case isNumber && isDate:
		return Any(compared(name, sign, x), comparedDate(name, sign, date, after(date, value))), nil
	case isNumber:
		return compared(name, sign, x), nil
	case isDate:
		return comparedDate(name, sign, date, after(date, value)), nil
	}
	return nil, fmt.Errorf("similar: condition %q: %q is no number, and no date such as 2006-01-02, 2006-01 or 2006-01-02T15:04:05Z", text, value)
}

// compared is met by fields with a number on one side of another.
func compared(name, sign string, x float64) Condition {
	switch sign {
	case "<":
		return Between(name, math.Inf(-1), math.Nextafter(x, math.Inf(-1)))
	case "<=":
		return Between(name, math.Inf(-1), x)
	case ">":
		return Between(name, math.Nextafter(x, math.Inf(1)), math.Inf(1))
	}
	return Between(name, x, math.Inf(1))
}

// comparedDate is met by fields with a date on one side of the time from..to.
func comparedDate(name, sign string, from, to time.Time) Condition {
	switch sign {
	case "<":
		return Dated(name, time.Time{}, from)
	case "<=":
		return Dated(name, time.Time{}, to)
	case ">":
		return Dated(name, to, time.Time{})
	}
	return Dated(name, from, time.Time{})
}

// within is met by fields that have a value between the bounds of a range: one of those that they
// list. It is for ranges with two bounds of one kind.
func within(c query.Range) (Condition, bool) {
	var list []Condition
	low, lowIs := numberOf(c.Low)
	high, highIs := numberOf(c.High)
	if lowIs && highIs {
		if c.OpenLow {
			low = math.Nextafter(low, math.Inf(1))
		}
		if c.OpenHigh {
			high = math.Nextafter(high, math.Inf(-1))
		}
		list = append(list, Between(c.Name, low, high))
	}
	from, fromIs := dateOf(c.Low)
	to, toIs := dateOf(c.High)
	if fromIs && toIs {
		if c.OpenLow {
			from = after(from, c.Low)
		}
		if !c.OpenHigh {
			to = after(to, c.High)
		}
		list = append(list, Dated(c.Name, from, to))
	}
	if len(list) == 1 {
		return list[0], true
	}
	return Any(list...), len(list) > 0
}

// after is the first moment after what a date stands for.
func after(t time.Time, text string) time.Time {
	switch len(text) {
	case len("2006"):
		return t.AddDate(1, 0, 0)
	case len("2006-01"):
		return t.AddDate(0, 1, 0)
	case len("2006-01-02"):
		return t.AddDate(0, 0, 1)
	}
	return t.Add(1)
}
