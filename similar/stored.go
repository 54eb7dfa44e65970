package similar

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// The stored parts of a document are its title, its text, and the names and values of its fields,
// by name, each with its length before it.

func (d *Document) appendStored(dst []byte) []byte {
	dst = appendString(appendString(dst, d.Title), d.Text)
	for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
		dst = appendString(appendString(dst, name), d.Fields[name])
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// document reads what is stored of a document. Its strings are its own. A body that is damaged is an
// error.
func (p *part) document(ord int) (Document, error) {
	stored, whole := string(p.Body(ord)), true
	next := func() (s string) {
		n, k := uvarint(stored)
		if whole = whole && k > 0; !whole {
			return ""
		}
		s, stored = stored[k:k+n], stored[k+n:]
		return s
	}
	d := Document{ID: strings.Clone(p.ID(ord)), Title: next(), Text: next()}
	if n, ok := p.VectorOf(ord); ok {
		d.Vector = p.vector(n)
	}
	for whole && stored != "" {
		if d.Fields == nil {
			d.Fields = map[string]string{}
		}
		name := next()
		d.Fields[name] = next()
	}
	if !whole {
		return Document{}, p.Damaged("the body of document %q is broken", d.ID)
	}
	return d, nil
}

// wholeBody reports whether document can read a body.
func wholeBody(b []byte) bool {
	strings := 0
	for ; len(b) > 0; strings++ {
		n, k := uvarint(b)
		if k == 0 {
			return false
		}
		b = b[k+n:]
	}
	return strings >= 2 && strings%2 == 0
}

// vector returns a copy of a vector.
func (p *part) vector(n int) []float32 {
	return slices.Clone(p.Vector(n, make([]float32, p.Dimension())))
}

// uvarint reads the length of a string that follows, and how many bytes the length takes: 0 where
// the string does not end in s.
func uvarint[T string | []byte](s T) (n, size int) {
	v := uint64(0)
	for i := range min(len(s), binary.MaxVarintLen64) {
		if v |= uint64(s[i]&0x7f) << (7 * i); s[i] < 0x80 {
			if v > uint64(len(s)-i-1) {
				return 0, 0
			}
			return int(v), i + 1
		}
	}
	return 0, 0
}
