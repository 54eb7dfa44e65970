package similar

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// A document is stored as its text and, separately, its head: the title, and the names and values
// of its fields, by name, each string with its length before it. Version 2 of the files had a body
// instead: the title, the text and the fields.

func (d *Document) appendHead(dst []byte) []byte {
	dst = appendString(dst, d.Title)
	for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
		dst = appendString(appendString(dst, name), d.Fields[name])
	}
	return dst
}

func (d *Document) appendText(dst []byte) []byte { return append(dst, d.Text...) }

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// splitBody returns the head and the text of a body, and whether it has these.
func splitBody(b []byte) (head, text []byte, ok bool) {
	n, k := uvarint(b)
	if k == 0 {
		return nil, nil, false
	}
	title, rest := b[:k+n], b[k+n:]
	if n, k = uvarint(rest); k == 0 {
		return nil, nil, false
	}
	head = append(slices.Clip(title), rest[k+n:]...)
	return head, rest[k : k+n], wholeHead(head)
}

// reader returns a reader of the part's documents. It takes it from the pool readers, and callers
// put it back, so that a caller who reads consecutive documents often gets one that has their
// block.
func (p *part) reader() *segment.Reader {
	r, ok := p.columns.readers.Get().(*segment.Reader)
	if !ok {
		r = new(segment.Reader)
		r.Reset(p.Segment)
	}
	return r
}

// stored returns the head of a document, and the first bytes of its text, most of them at most. They
// are good until the next call of the reader.
func (p *part) stored(r *segment.Reader, ord, most int) (head, text []byte, err error) {
	if p.Old() {
		head, text, ok := splitBody(p.Body(ord))
		if !ok {
			return nil, nil, p.Damaged("the body of document %q is broken", p.ID(ord))
		}
		return head, text[:min(most, len(text))], nil
	}
	if head, err = r.Head(ord); err != nil {
		return nil, nil, err
	}
	text, err = r.Beginning(ord, most)
	return head, text, err
}

// document reads what is stored of a document. Its strings are its own. A head that is damaged is an
// error.
func (p *part) document(ord int) (Document, error) { return p.beginning(ord, math.MaxInt) }

// beginning is document with the first bytes of the text, most of them at most.
func (p *part) beginning(ord, most int) (Document, error) {
	r := p.reader()
	defer p.columns.readers.Put(r)
	head, text, err := p.stored(r, ord, most)
	if err != nil {
		return Document{}, err
	}
	stored, whole := string(head), true
	next := func() (s string) {
		n, k := uvarint(stored)
		if whole = whole && k > 0; !whole {
			return ""
		}
		s, stored = stored[k:k+n], stored[k+n:]
		return s
	}
	d := Document{ID: strings.Clone(p.ID(ord)), Title: next(), Text: string(text)}
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
		return Document{}, p.Damaged("the title or the fields of document %q are broken", d.ID)
	}
	return d, nil
}

// wholeHead reports whether document can read a head.
func wholeHead(b []byte) bool {
	strings := 0
	for ; len(b) > 0; strings++ {
		n, k := uvarint(b)
		if k == 0 {
			return false
		}
		b = b[k+n:]
	}
	return strings%2 == 1
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
