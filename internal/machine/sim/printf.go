package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// printing formats what a kernel prints, as C's printf does.
type printing struct {
	arguments interface {
		word(addr uint64, n int) uint64
		text(addr uint64) string
	}
	at    uint64 // the address of the next argument
	taken int    // how many were taken
}

// next takes an argument of n bytes, which is aligned to its size.
func (p *printing) next(n int) uint64 {
	size := uint64(n)
	p.at = (p.at + size - 1) &^ (size - 1)
	v := p.arguments.word(p.at, n)
	p.at += size
	p.taken++
	return v
}

// conversion is one of printf's: "%-8.3lf".
type conversion struct {
	flags       string
	width, prec int // -1 for none
	wide        bool
	verb        byte
}

// format formats a text with its conversions. It reports false for a conversion that printf does
// not have.
func (p *printing) format(text string) (string, bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "%")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		c, n := p.conversion(rest)
		if n == 0 {
			return "", false
		}
		text = rest[n:]
		one, ok := p.convert(c)
		if !ok {
			return "", false
		}
		b.WriteString(one)
	}
}

// conversion reads a conversion after its %, and says how many bytes it took, or 0 if it does not
// end.
func (p *printing) conversion(s string) (c conversion, n int) {
	c.width, c.prec = -1, -1
	for n < len(s) && strings.IndexByte("-+ #0", s[n]) >= 0 {
		n++
	}
	c.flags = s[:n]
	c.width, n = p.number(s, n)
	if c.width < -1 { // a negative width of an argument: to the left
		c.flags, c.width = c.flags+"-", -c.width
	}
	if n < len(s) && s[n] == '.' {
		if c.prec, n = p.number(s, n+1); c.prec == -1 {
			c.prec = 0
		}
	}
	for n < len(s) && strings.IndexByte("hlLqjzt", s[n]) >= 0 {
		c.wide = c.wide || s[n] != 'h'
		n++
	}
	if n == len(s) {
		return c, 0
	}
	c.verb = s[n]
	return c, n + 1
}

// number reads a width or precision: digits, or * for an argument.
func (p *printing) number(s string, n int) (value, behind int) {
	if n < len(s) && s[n] == '*' {
		return int(int32(p.next(4))), n + 1
	}
	from := n
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	value, err := strconv.Atoi(s[from:n])
	if err != nil {
		return -1, n
	}
	return min(value, maxText), n
}

// convert formats one argument.
func (p *printing) convert(c conversion) (string, bool) {
	switch c.verb {
	case '%':
		return "%", true
	case 'd', 'i':
		if c.wide {
			return c.integer('d', int64(p.next(8))), true
		}
		return c.integer('d', int32(p.next(4))), true
	case 'u', 'o', 'x', 'X':
		verb := c.verb
		if verb == 'u' {
			verb = 'd'
		}
		if c.wide {
			return c.integer(verb, p.next(8)), true
		}
		return c.integer(verb, uint32(p.next(4))), true
	case 'c':
		return c.apply('s', string([]byte{byte(p.next(4))}), -1), true
	case 's':
		return c.apply('s', p.arguments.text(p.next(8)), c.prec), true
	case 'p':
		return c.apply('s', fmt.Sprintf("%#x", p.next(8)), -1), true
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		return c.float(math.Float64frombits(p.next(8))), true
	}
	return "", false
}

// integer formats an integer. A precision makes printf ignore the flag 0.
func (c conversion) integer(verb byte, v any) string {
	if c.prec >= 0 {
		c.flags = strings.ReplaceAll(c.flags, "0", "")
	}
	return c.apply(verb, v, c.prec)
}

// float formats a floating-point number. Infinities and NaN are words.
func (c conversion) float(v float64) string {
	upper := c.verb < 'a'
	var text string
	switch {
	case math.IsNaN(v):
		text = "nan"
	case math.IsInf(v, 0):
		text = "inf"
	case c.verb|0x20 == 'a':
		text = strings.Replace(strconv.FormatFloat(math.Abs(v), 'x', c.prec, 64), "p+0", "p+", 1)
		text = strings.Replace(text, "p-0", "p-", 1)
	default:
		if c.prec < 0 {
			c.prec = 6
		}
		return c.apply(c.verb, v, c.prec)
	}
	switch {
	case math.Signbit(v):
		text = "-" + text
	case strings.Contains(c.flags, "+"):
		text = "+" + text
	case strings.Contains(c.flags, " "):
		text = " " + text
	}
	if upper {
		text = strings.ToUpper(text)
	}
	c.flags = strings.ReplaceAll(c.flags, "0", "")
	return c.apply('s', text, -1)
}

// apply formats with Go's verb of the same meaning.
func (c conversion) apply(verb byte, v any, prec int) string {
	f := "%" + c.flags
	if verb == 's' {
		f = "%" + strings.Map(func(r rune) rune {
			if r == '-' {
				return r
			}
			return -1
		}, c.flags)
	}
	if c.width >= 0 {
		f += strconv.Itoa(min(c.width, maxText))
	}
	if prec >= 0 {
		f += "." + strconv.Itoa(min(prec, maxText))
	}
	return fmt.Sprintf(f+string(verb), v)
}
