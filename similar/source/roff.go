package source

import (
	"strconv"
	"strings"
)

// plain undoes the escapes of a line of roff.
func (m *manual) plain(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.WriteString(strings.TrimSuffix(s, `\`))
			return b.String()
		}
		b.WriteString(s[:i])
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case '"', '#':
			return b.String()
		case '-', '.', '\'', '`':
			b.WriteByte(c)
		case 'e', '\\', 'E':
			b.WriteByte('\\')
		case ' ', '~', '0', '|', '^', 't':
			b.WriteByte(' ')
		case '(', '[', 'C':
			s = m.glyph(c, s, &b)
		case '*':
			var name string
			name, s = roffName(s)
			b.WriteString(m.strings[name])
		case 'f', 'F', 'm', 'M', 'n', 'k', 'g', 'Y', 'V', '$':
			_, s = roffName(strings.TrimLeft(s, "+-"))
		case 's':
			s = strings.TrimLeft(s, "+-")
			_, s = roffName(s)
		case 'h', 'v', 'w', 'l', 'L', 'X', 'Z', 'D', 'b', 'o', 'x', 'H', 'S', 'A', 'B', 'R', 'N':
			_, s = roffQuoted(s)
		}
	}
}

// maxRoffName is how many bytes a name, or an argument of an escape, has.
const maxRoffName = 256

// roffName reads a name of one character, of two after "(", or of any number in "[" and "]".
func roffName(s string) (name, rest string) {
	switch {
	case strings.HasPrefix(s, "(") && len(s) > 2:
		return s[1:3], s[3:]
	case strings.HasPrefix(s, "["):
		if i := strings.IndexByte(s[:min(len(s), maxRoffName)], ']'); i > 0 {
			return s[1:i], s[i+1:]
		}
	}
	for i := range s {
		if i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// roffQuoted reads an argument between two marks.
func roffQuoted(s string) (arg, rest string) {
	if s == "" {
		return "", ""
	}
	if i := strings.IndexByte(s[1:min(len(s), maxRoffName)], s[0]); i >= 0 {
		return s[1 : 1+i], s[2+i:]
	}
	return "", s
}

// glyphs are roff's names of characters (groff_char(7)).
var glyphs = map[string]string{
	"aq": "'", "dq": `"`, "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "em": "—", "en": "–", "hy": "-", "mi": "-", "bu": "•",
	"co": "©", "rg": "®", "tm": "™", "rs": `\`, "ti": "~", "ha": "^", "ga": "`", "at": "@", "sh": "#", "Do": "$", "ul": "_",
	"ba": "|", "lB": "[", "rB": "]", "lC": "{", "rC": "}", "la": "⟨", "ra": "⟩", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ",
	"OE": "Œ", "/o": "ø", "/O": "Ø", "/l": "ł", "/L": "Ł", "oa": "å", "oA": "Å", ",c": "ç", ",C": "Ç", "mu": "×", "de": "°",
	"+-": "±", "<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "<-": "←", "sc": "§", "Eu": "€", "Po": "£", "bv": "|", "sq": "□",
	"Fo": "«", "Fc": "»", "*a": "α", "*b": "β", "*m": "μ", "*p": "π", "*l": "λ", "if": "∞", "S2": "²", "S3": "³", "12": "½",
}

// glyph writes a character by its name. The mark before the name is c.
func (m *manual) glyph(c byte, s string, b *strings.Builder) (rest string) {
	var name string
	switch c {
	case '(':
		name, rest = s[:min(2, len(s))], s[min(2, len(s)):]
	case '[':
		if i := strings.IndexByte(s[:min(len(s), maxRoffName)], ']'); i >= 0 {
			name, s = s[:i], s[i+1:]
		}
		rest = s
	default:
		name, rest = roffQuoted(s)
	}
	if glyphs[name] != "" {
		b.WriteString(glyphs[name])
		return rest
	}
	if code, err := strconv.ParseUint(strings.TrimPrefix(name, "u"), 16, 21); err == nil && code > 0 && strings.HasPrefix(name, "u") {
		b.WriteRune(rune(code))
		return rest
	}
	if len(name) == 2 {
		mark := map[byte]rune{':': 0x308, '\'': 0x301, '`': 0x300, '^': 0x302, '~': 0x303, 'v': 0x30c, ',': 0x327}[name[0]]
		if mark != 0 {
			b.WriteString(name[1:] + string(mark))
		}
	}
	return rest
}
