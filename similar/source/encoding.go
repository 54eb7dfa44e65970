package source

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	xunicode "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/gridstride/gridstride/similar/text"
)

// byteOrder decodes text by its byte order mark, and does not change it if there is none.
func byteOrder(in io.Reader) io.Reader {
	return transform.NewReader(in, xunicode.BOMOverride(transform.Nop))
}

// decode decodes a file of text. A byte order mark names the encoding. Without one the text is UTF-8,
// or else UTF-16 or Windows-1252 if it looks so. Latin-1 is a part of Windows-1252.
func decode(data []byte) (string, error) {
	if marked(data) {
		data, err := io.ReadAll(byteOrder(bytes.NewReader(data)))
		if err != nil {
			return "", err
		}
		return string(data), checkText(string(data))
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return decodeWide(data)
	}
	return decodeNarrow(string(data))
}

// marked reports whether a byte order mark is the first character.
func marked(data []byte) bool {
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(data, []byte(mark)) {
			return true
		}
	}
	return false
}

// decodeWide decodes UTF-16 without a byte order mark: every other byte is zero of at least half of
// the characters, as in languages with Latin letters, and no byte between them is.
func decodeWide(data []byte) (string, error) {
	var zeros [2]int // at even and odd places
	for i, b := range data {
		if b == 0 {
			zeros[i%2]++
		}
	}
	order, most := xunicode.BigEndian, zeros[0]
	if zeros[1] > zeros[0] {
		order, most = xunicode.LittleEndian, zeros[1]
	}
	if len(data)%2 != 0 || min(zeros[0], zeros[1]) > 0 || most < (len(data)+3)/4 {
		return "", errBinary
	}
	wide, err := xunicode.UTF16(order, xunicode.IgnoreBOM).NewDecoder().Bytes(data)
	if err != nil || !printable(string(wide)) {
		return "", errBinary
	}
	return string(wide), nil
}

// decodeNarrow returns a text that is UTF-8 as it is, and decodes Windows-1252. A text is UTF-8 with
// errors, and no Windows-1252, if it has more characters of UTF-8 than other bytes. It has another
// encoding, or is no text, if letters outside of ASCII are more than in Western languages.
func decodeNarrow(s string) (string, error) {
	err := checkText(s)
	if err == nil || strings.IndexByte(s, 0) >= 0 {
		return s, err
	}
	err = fmt.Errorf("%w, and not Windows-1252: convert it to UTF-8", text.Valid(s))
	whole, other := 0, 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			other++
		case n > 1:
			whole++
		}
		i += n
	}
	if whole > other || other+2*whole > 4+len(s)/4 {
		return "", err
	}
	decoded, failed := charmap.Windows1252.NewDecoder().String(s)
	if failed != nil || !printable(decoded) {
		return "", err
	}
	return decoded, nil
}

// printable reports whether s has none of the characters that texts do not have: controls other than
// white space, backspace and escape, and U+FFFD, by which decoders replace errors.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		switch {
		case r >= '\b' && r <= '\r', r == 0x1b:
			return false
		}
		return r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError
	})
}
