package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// letters are those that Unicode does not take apart, and what one writes for them.
var letters = strings.NewReplacer("ø", "o", "ł", "l", "đ", "d", "ħ", "h", "ŧ", "t", "ı", "i", "æ", "ae", "œ", "oe", "ð", "d", "þ", "th")

// withoutAccents returns a folded word without the marks of Latin and Greek letters. Marks of other
// scripts make other letters.
func withoutAccents(word string) string {
	if isASCII(word) {
		return word
	}
	marked := false
	word = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			if marked {
				return -1
			}
			return r
		}
		marked = unicode.In(r, unicode.Latin, unicode.Greek)
		return r
	}, norm.NFD.String(word))
	return letters.Replace(norm.NFC.String(word))
}
