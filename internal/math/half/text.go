package half

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// F16Shortest is a float64 with as few decimal digits as tell h from every other number: 0.1 for
// what 0.1 was rounded to. As text it is h.
func F16Shortest(h uint16) float64 { return shortest(float64(F16ToF32(h)), h, F16Nearest) }

// BF16Shortest is F16Shortest for bfloat16.
func BF16Shortest(h uint16) float64 { return shortest(float64(BF16ToF32(h)), h, BF16Nearest) }

// E4M3Shortest is F16Shortest for E4M3.
func E4M3Shortest(h uint8) float64 { return shortest(float64(E4M3ToF32(h)), h, E4M3Nearest) }

// E5M2Shortest is F16Shortest for E5M2.
func E5M2Shortest(h uint8) float64 { return shortest(float64(E5M2ToF32(h)), h, E5M2Nearest) }

// Text is a number of few bits as package fmt prints it: with the verbs of floating-point numbers,
// and %v, %s and %q with as few digits as tell it from every other.
type Text struct{ exact, shortest float64 }

// F16Text is the text of a float16.
func F16Text(h uint16) Text { return Text{float64(F16ToF32(h)), F16Shortest(h)} }

// BF16Text is the Text of a bfloat16.
func BF16Text(h uint16) Text { return Text{float64(BF16ToF32(h)), BF16Shortest(h)} }

// E4M3Text is the Text of an E4M3.
func E4M3Text(h uint8) Text { return Text{float64(E4M3ToF32(h)), E4M3Shortest(h)} }

// E5M2Text is the Text of an E5M2.
func E5M2Text(h uint8) Text { return Text{float64(E5M2ToF32(h)), E5M2Shortest(h)} }

// String is the number with as few digits as possible.
func (t Text) String() string { return strconv.FormatFloat(t.shortest, 'g', -1, 64) }

// Format implements [fmt.Formatter].
func (t Text) Format(s fmt.State, verb rune) {
	var value any = t.exact
	switch _, precision := s.Precision(); {
	case verb == 's' || verb == 'q':
		value = t.String()
	case verb == 'v' || (verb == 'g' || verb == 'G') && !precision:
		value = t.shortest
	}
	fmt.Fprintf(s, fmt.FormatString(s, verb), value)
}

func shortest[B uint8 | uint16](x float64, h B, nearest func(float64) B) float64 {
	for digits := 0; digits < 5; digits++ { // after the first; eleven bits take five in all
		d, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits, 64), 64)
		if err == nil && nearest(d) == h {
			return d
		}
	}
	return x
}

// F16Parse is the number nearest to one that is written as for strconv.ParseFloat. (Of a
// hexadecimal one, digits that float64 has no place for are rounded before.) The error is a
// *strconv.NumError. If it is ErrRange, the result is an infinity.
func F16Parse(s string) (uint16, error) { return parse(s, F16Inf, F16Nearest) }

// BF16Parse is F16Parse for bfloat16.
func BF16Parse(s string) (uint16, error) { return parse(s, BF16Inf, BF16Nearest) }

func parse(s string, inf uint16, nearest func(float64) uint16) (uint16, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, err
	}
	h := nearest(toOdd(x, s, nearest))
	if h&^sign == inf && (err != nil || !math.IsInf(x, 0)) {
		return h, &strconv.NumError{Func: "ParseFloat", Num: s, Err: strconv.ErrRange}
	}
	return h, nil
}

// toOdd is the number that s writes rounded to odd (see [ieee.Odd]), where the difference between
// it and the nearest float64, x, decides what nearest gives.
func toOdd(x float64, s string, nearest func(float64) uint16) float64 {
	below, above := math.Nextafter(x, math.Inf(-1)), math.Nextafter(x, math.Inf(1))
	if nearest(below) == nearest(above) || math.Float64bits(x)&1 != 0 || x == 0 || math.IsInf(x, 0) {
		return x
	}
	const digits = 120 // more than the middle of two numbers has
	exact, ok := magnitudeOf(s)
	middle, _ := magnitudeOf(strconv.FormatFloat(x, 'e', digits, 64))
	c := exact.compare(middle)
	switch {
	case !ok || c == 0:
		return x
	case (c < 0) == (x > 0):
		return below
	}
	return above
}

// A magnitude is 0.DIGITS times ten to the power of exp. The digits begin with none or one that is
// not 0, and end so.
type magnitude struct {
	digits string
	exp    int
}

// magnitudeOf reads a decimal number that strconv.ParseFloat takes, without its sign. ok is false
// for one of another kind.
func magnitudeOf(s string) (m magnitude, ok bool) {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(strings.TrimLeft(s, "+-")), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if hasExponent {
		var err error
		if m.exp, err = strconv.Atoi(exponent); err != nil {
			return m, false
		}
	}
	digits := whole + fraction
	m.digits = strings.TrimLeft(digits, "0")
	m.exp += len(whole) - (len(digits) - len(m.digits))
	m.digits = strings.TrimRight(m.digits, "0")
	return m, !strings.ContainsAny(digits, "xp_")
}

func (m magnitude) compare(n magnitude) int {
	if m.exp != n.exp {
		return cmp.Compare(m.exp, n.exp)
	}
	return strings.Compare(m.digits, n.digits)
}
