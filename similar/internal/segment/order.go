package segment

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unsafe"
)

// keyed is a term and the first bytes of its name, the first in the highest bits, so that keys are
// ordered as names are.
type keyed struct {
	key  uint64
	term uint32
}

// keyOf returns the first eight bytes of a name, filled with zeros.
func keyOf(name string) uint64 {
	b := unsafe.Slice(unsafe.StringData(name), len(name))
	switch n := len(b); {
	case n >= 8:
		return binary.BigEndian.Uint64(b)
	case n >= 4:
		first, last := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[n-4:])
		return uint64(first)<<32 | uint64(last)<<(8*(8-n)&63)
	case n > 0:
		return uint64(b[0])<<56 | uint64(b[n/2])<<(8*(7-n/2)&63) | uint64(b[n-1])<<(8*(8-n)&63)
	}
	return 0
}

// sortedTerms returns the terms in byte order.
func (b *Builder) sortedTerms() []keyed {
	x := &b.scratch
	x.order, x.spare = sized(x.order, len(b.terms)), sized(x.spare, len(b.terms))
	for i, t := range b.terms {
		x.order[i] = keyed{keyOf(b.names(t.number)), uint32(i)}
	}
	x.order, x.spare = sortKeys(x.order, x.spare)
	name := func(k keyed) string { return b.names(b.terms[k.term].number) }
	for from := 0; from < len(x.order); {
		to := from + 1
		for to < len(x.order) && x.order[to].key == x.order[from].key {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(x.order[from:to], func(a, b keyed) int { return strings.Compare(name(a), name(b)) })
		}
		from = to
	}
	return x.order
}

// sortKeys sorts by key, a byte at a time from the last on (radix sort). It returns what is sorted,
// and the other memory.
func sortKeys(list, spare []keyed) (sorted, other []keyed) {
	if len(list) < 256 {
		slices.SortFunc(list, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
		return list, spare
	}
	var counts [8][256]uint32
	for _, k := range list {
		for b := range counts {
			counts[b][byte(k.key>>(8*b))]++
		}
	}
	for b := range counts {
		next, at := &counts[b], uint32(0)
		if next[byte(list[0].key>>(8*b))] == uint32(len(list)) {
			continue // all have the same byte there
		}
		for i, n := range next {
			next[i], at = at, at+n
		}
		for _, k := range list {
			to := &next[byte(k.key>>(8*b))]
			spare[*to] = k
			*to++
		}
		list, spare = spare, list
	}
	return list, spare
}
