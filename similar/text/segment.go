package text

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/clipperhouse/uax29/v2/words"
)

// span is the place of a word in a text, in bytes.
type span struct{ start, end int }

// segments yields the words of s: the segments of UAX #29 that have a letter or a digit, cut at
// periods and colons except within numbers. The standard allows such tailoring (section 4.1). It
// makes two words of "heap.Init" and of a sentence's end without a space. A byte that is not UTF-8
// parts words.
func segments(s string) iter.Seq[span] {
	return func(yield func(span) bool) {
		for start := 0; start < len(s); {
			end := start + validPrefix(s[start:])
			if !yieldValid(s, start, end, yield) {
				return
			}
			start = end + 1 // over the invalid byte
		}
	}
}

// validPrefix returns the length of the longest prefix of s that is valid UTF-8.
func validPrefix(s string) int {
	if utf8.ValidString(s) {
		return len(s)
	}
	at := 0
	for {
		r, size := utf8.DecodeRuneInString(s[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
}

// yieldValid yields the words of s[i:end], which is valid UTF-8. Text of ASCII takes asciiWord, and
// package words takes a segment that anything else touches. It looks no further than the next
// period or colon that parts words.
func yieldValid(s string, i, end int, yield func(span) bool) bool {
	s = s[:end]
	limit := i
	for i < end {
		if n := plainWord(s[i:]); n > 0 {
			if !yield(span{i, i + n}) {
				return false
			}
			i += n
			continue
		}
		if c := s[i]; c < utf8.RuneSelf {
			n, kinds := asciiWord(s[i:])
			if n > 0 {
				if kinds&(letter|digit) != 0 && !yield(span{i, i + n}) {
					return false
				}
				i += n
				continue
			}
		}
		if limit <= i {
			limit = i + nextCut(s[i:])
		}
		n, ok := unicodeSegment(s[i:limit])
		if ok && !yield(span{i, i + n}) {
			return false
		}
		i += n
	}
	return true
}

// nextCut returns the offset of the first period or colon in s that is not after a number, or the
// length of s. One at the start of s does not count.
func nextCut(s string) int {
	number := false
	for i, r := range s {
		if i > 0 && cuts(r) && !number {
			return i
		}
		number = unicode.Is(unicode.Nd, r) || number && unicode.In(r, unicode.M, unicode.Cf)
	}
	return len(s)
}

// cuts reports whether r is one of UAX #29's joiners of letters that part words here.
func cuts(r rune) bool { return r == '.' || r == ':' || r == '\uff0e' || r == '\uff1a' }

// unicodeSegment returns the length of the first segment of s, and whether it is a word.
func unicodeSegment(s string) (n int, word bool) {
	w := words.FromString(s)
	w.Next()
	return w.End(), strings.ContainsFunc(w.Value(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// Kinds of ASCII characters for the word boundary rules: what is none of them is a segment by
// itself, or one of spaces, and never part of a word.
const (
	letter    uint8 = 1 << iota // ALetter
	digit                       // Numeric
	underline                   // ExtendNumLet
	midLetter                   // Single_Quote: joins two letters
	midNumber                   // MidNum, MidNumLet, Single_Quote: joins two digits
	foreign                     // not ASCII

	inWord = letter | digit | underline
)

// kinds are the kinds of all bytes.
var kinds = func() (k [256]uint8) {
	for c := range k {
		switch {
		case c >= utf8.RuneSelf:
			k[c] = foreign
		case c >= '0' && c <= '9':
			k[c] = digit
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			k[c] = letter
		}
	}
	k['_'], k[','], k[';'], k['.'], k['\''] = underline, midNumber, midNumber, midNumber, midLetter|midNumber
	return k
}()

// plainWord returns the length of the first segment of s if that is a word of 1 to 7 ASCII letters
// and what follows leaves no doubt, and 0 if not: then asciiWord decides. It looks at eight bytes
// at once.
func plainWord(s string) int {
	if len(s) < 8 {
		return 0
	}
	const ones, high = 0x0101010101010101, 0x8080808080808080
	w := binary.LittleEndian.Uint64(unsafe.Slice(unsafe.StringData(s), 8))
	lower := (w | 0x20*ones) &^ high
	// The highest bit of a byte is set if it is a letter: not below a, not above z, and ASCII.
	letters := (lower + (0x80-'a')*ones) &^ (lower + (0x7f-'z')*ones) &^ w & high
	n := bits.TrailingZeros64(letters^high) / 8
	if n == 8 || kinds[s[n]] != 0 {
		return 0
	}
	return n
}

// asciiWord returns the length of the first segment of s and the kinds of characters in it, or 0
// where a character that is not ASCII decides on it. It is UAX #29's rules WB5 to WB13b for ASCII,
// in which no rule looks back over the start of a segment.
func asciiWord(s string) (n int, seen uint8) {
	last := kinds[s[0]]
	for n = 1; n < len(s); n++ {
		k := kinds[s[n]]
		switch {
		case k&foreign != 0:
			return 0, 0
		case k&inWord != 0 && last&inWord != 0:
			seen |= last
			last = k
		case k&(midLetter|midNumber) != 0 && n+1 < len(s) && kinds[s[n+1]]&foreign != 0:
			return 0, 0
		case k&midLetter != 0 && last == letter && n+1 < len(s) && kinds[s[n+1]] == letter,
			k&midNumber != 0 && last == digit && n+1 < len(s) && kinds[s[n+1]] == digit:
			n++
		default:
			return n, seen | last
		}
	}
	return n, seen | last
}
