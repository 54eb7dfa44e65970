package similar

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// What is stored of a document is its title, its text, and the names and values of its fields, by
// name; each with its length before it.

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

// document reads what is stored of a document. Its strings are its own.
func (p *part) document(ord int) Document {
	stored := string(p.Body(ord))
	next := func() (s string) {
		n, k := uvarint(stored)
		s, stored = stored[k:k+n], stored[k+n:]
		return s
	}
	d := Document{ID: strings.Clone(p.ID(ord)), Title: next(), Text: next()}
	if n, ok := p.VectorOf(ord); ok {
		d.Vector = p.vector(n)
	}
	for stored != "" {
		if d.Fields == nil {
			d.Fields = map[string]string{}
		}
		name := next()
		d.Fields[name] = next()
	}
	return d
}

// vector returns a copy of a vector.
func (p *part) vector(n int) []float32 {
	return slices.Clone(p.Vector(n, make([]float32, p.Dimension())))
}

func uvarint(s string) (n, size int) {
	for shift := 0; ; shift += 7 {
		b := s[size]
		size++
		if n |= int(b&0x7f) << shift; b < 0x80 {
			return n, size
		}
	}
}
