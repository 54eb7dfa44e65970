// Package text has the functions that range over a string, == and < are lowered to. The strings of
// kernels are constants and parts of them.
package text

// DecodeRune is the rune that begins at byte i of s, which is in range, and where the next begins.
// A byte that begins none stands for U+FFFD, as in Go.
func DecodeRune(s string, i int) (r rune, next int) {
	const invalid = '�'
	first := rune(s[i])
	if first < 0x80 {
		return first, i + 1
	}
	more := 1
	least := rune(0x80)
	switch {
	case first < 0xc2 || first > 0xf4:
		return invalid, i + 1
	case first >= 0xf0:
		more, least, r = 3, 0x10000, first&0x07
	case first >= 0xe0:
		more, least, r = 2, 0x800, first&0x0f
	default:
		r = first & 0x1f
	}
	for k := range more {
		at := i + 1 + k
		if at >= len(s) || s[at]&0xc0 != 0x80 {
			return invalid, i + 1
		}
		r = r<<6 | rune(s[at]&0x3f)
	}
	if r < least || r > 0x10ffff || r&^0x7ff == 0xd800 {
		return invalid, i + 1
	}
	return r, i + 1 + more
}

func Equal(x, y string) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range len(x) {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// Compare is negative if x < y, and positive if x > y.
func Compare(x, y string) int {
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return int(x[i]) - int(y[i])
		}
	}
	return len(x) - len(y)
}
