package source_test

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/gridstride/gridstride/similar/source"
)

// wide encodes text as UTF-16 without a byte order mark.
func wide(order binary.AppendByteOrder, s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// TestEncodings reads texts of several encodings, and names those that it cannot read.
func TestEncodings(t *testing.T) {
	t.Parallel()
	const neither = ": not UTF-8, and not Windows-1252: convert it to UTF-8"
	for _, c := range []struct{ name, text, want string }{
		{"french.txt", "\xc7a co\xfbte 5\xa0\x80, \x93d\xe9j\xe0\x94", "french.txt||Ça coûte 5\u00a0€, “déjà”"},
		{"german.md", "# \xdcber B\xe4ume\n\nStra\xdfe", "german.md|Über Bäume|Straße"},
		{"short.txt", "\xe9t\xe9", "short.txt||été"},
		{"page.html", "<title>\xc4rger</title><p>x", "page.html|Ärger|x"},
		{"named.html", "<meta charset=koi8-r><p>\xcd\xc9\xd2", "named.html||мир"},
		{"marked.html", "\xef\xbb\xbf<meta charset=koi8-r><p>café", "marked.html||café"},
		{"table.csv", "id,Stra\xdfe\n1,\xdcber\n2,caf\u00e9\n", "1|||Straße=Über 2|||Straße=café"},
		{"damaged.txt", "naïve café, Straße and a byte \xff too many", "! damaged.txt: byte 33 (line 1) is 0xff" + neither},
		{"russian.txt", "\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0", "! russian.txt: byte 0 (line 1) is 0xcf" + neither},
		{"japanese.txt", "\x82\xb1\x82\xf1\x82\xc9\x82\xbf kon", "! japanese.txt: byte 0 (line 1) is 0x82" + neither},
		{"control.txt", "a program \x01\x02\xe9", "! control.txt: byte 12 (line 1) is 0xe9" + neither},
		{"le.txt", wide(binary.LittleEndian, "Löwe €"), "le.txt||Löwe €"},
		{"be.txt", wide(binary.BigEndian, "Löwe"), "be.txt||Löwe"},
		{"be-mark.txt", wide(binary.BigEndian, "\ufeffмир"), "be-mark.txt||мир"},
		{"odd.txt", wide(binary.LittleEndian, "Löwe") + "x", "! odd.txt: a NUL byte: this is no text"},
		{"numbers.txt", "\x01\x00\x02\x00\x03\x00", "! numbers.txt: a NUL byte: this is no text"},
		{"half.txt", wide(binary.LittleEndian, "Lion") + "\x00\xd8", "! half.txt: a NUL byte: this is no text"},
		{"marked.txt", "\xff\xfea\x00\x00\x00", "! marked.txt: a NUL byte: this is no text"},
		{"empty.txt", "\xff\xfe", "empty.txt||"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			same(t, []string{strings.Join(collect(source.FS(t.Context(), folder(map[string]string{c.name: c.text}), source.Options{})), " ")}, c.want)
		})
	}
}

// TestBinary reads files of random bytes, with and without zeros: none is a text.
func TestBinary(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 1000 {
		data := make([]byte, 64+rng.IntN(1000))
		for j := range data {
			if data[j] = byte(rng.Uint32()); i%2 == 0 {
				data[j] = max(1, data[j])
			} else if i%4 == 1 && j%2 == 1 {
				data[j] = 0
			}
		}
		got := collect(source.FS(t.Context(), folder(map[string]string{"a.txt": string(data)}), source.Options{}))
		if len(got) != 1 || !strings.HasPrefix(got[0], "! a.txt: ") {
			t.Fatalf("%q gives %q", data, got)
		}
	}
}
