package source

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// accents are LaTeX's commands of accents, and the combining characters that they are.
var accents = map[string]rune{
	"`": 0x300, "'": 0x301, "^": 0x302, "~": 0x303, "=": 0x304, "u": 0x306, ".": 0x307, `"`: 0x308,
	"r": 0x30a, "H": 0x30b, "v": 0x30c, "d": 0x323, "c": 0x327, "k": 0x328, "b": 0x331, "t": 0x361,
}

// letters are LaTeX's commands of characters. The writer drops an unknown command.
var letters = map[string]string{
	"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "aa": "å", "AA": "Å",
	"i": "i", "j": "j", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ", "SS": "SS",
	"S": "§", "P": "¶", "pounds": "£", "euro": "€", "copyright": "©", "dots": "…", "ldots": "…", "textendash": "–",
	"textemdash": "—", "textbackslash": `\`, "textasciitilde": "~", "textquoteright": "’", "textquoteleft": "‘",
	"textregistered": "®", "texttrademark": "™", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "times": "×",
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
	"theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
	"sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ",
	"Omega": "Ω", "infty": "∞", "leq": "≤", "geq": "≥", "neq": "≠", "approx": "≈", "pm": "±", "in": "∈", "to": "→",
	"sim": "∼", "ell": "ℓ", "sqrt": "√", "log": "log", "min": "min", "max": "max",
}

// latexText undoes LaTeX's accents, commands and braces in one line of text.
func latexText(s string) string {
	if !strings.ContainsAny(s, "\\{}$~-`'") {
		return squeeze(s)
	}
	var l latex
	for s != "" {
		s = l.next(s)
	}
	return squeeze(norm.NFC.String(l.String()))
}

// A latex writes text. An accent waits for the letter that follows it.
type latex struct {
	strings.Builder
	accent rune
}

// put writes text, whose first letter has the accent that waits.
func (l *latex) put(s string) {
	r, n := utf8.DecodeRuneInString(s)
	l.WriteString(s[:n])
	if l.accent != 0 && unicode.IsLetter(r) {
		l.WriteRune(l.accent)
	}
	l.accent = 0
	l.WriteString(s[n:])
}

// ligatures are characters that LaTeX reads as others.
var ligatures = []struct{ from, to string }{
	{"---", "—"}, {"--", "–"}, {"``", "“"}, {"''", "”"}, {"~", " "}, {"{", ""}, {"}", ""}, {"$", ""},
}

// next writes what s begins with and returns the rest.
func (l *latex) next(s string) string {
	for _, mark := range ligatures {
		if rest, ok := strings.CutPrefix(s, mark.from); ok {
			if mark.to != "" {
				l.put(mark.to)
			}
			return rest
		}
	}
	if s[0] == '\\' && len(s) > 1 {
		return l.command(s[1:])
	}
	_, n := utf8.DecodeRuneInString(s)
	l.put(s[:n])
	return s[n:]
}

// command writes a command, whose backslash is before s, and returns what follows it.
func (l *latex) command(s string) string {
	n := 0
	for n < len(s) && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z') {
		n++
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(s)
		l.symbol(s[:n])
		return s[n:]
	}
	name, rest := s[:n], s[n:]
	spaced := strings.TrimLeft(rest, " \t\r\n")
	if mark := accents[name]; mark != 0 && (spaced != rest || strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, `\`)) {
		l.accent = mark
	} else if letters[name] != "" {
		l.put(letters[name])
		if len(letters[name]) > 2 && letters[name][0] < utf8.RuneSelf {
			return rest // a word, such as log
		}
	}
	return spaced
}

// symbol writes a command that is one character.
func (l *latex) symbol(name string) {
	switch mark := accents[name]; {
	case mark != 0:
		l.accent = mark
	case strings.Contains("&%$#_{}", name):
		l.put(name)
	case strings.Contains(" ,;:\\\n\t", name):
		l.put(" ")
	}
}
