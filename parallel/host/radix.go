package host

import (
	"slices"
	"unsafe"
)

// Sort sorts keys in place. Floating-point numbers are in IEEE 754's totalOrder: -0 precedes +0, and
// NaN is first if its sign bit is set, else last. It is a radix sort by 8 bits at a time from the
// lowest, as D. Knuth's Algorithm R (The Art of Computer Programming 3, 5.2.5), and allocates as many
// keys.
func Sort[K Number](keys []K) { sortNumbers[K, struct{}](keys, nil, false) }

// SortDescending is [Sort] with the largest key first.
func SortDescending[K Number](keys []K) { sortNumbers[K, struct{}](keys, nil, true) }

// SortPairs sorts keys as [Sort] does, and moves values[i] as keys[i]. The values of equal keys stay
// in their order. There are as many values as keys. It allocates as many of both.
//
// Errors: [ErrShort], [ErrOverlap].
func SortPairs[K Number, V any](keys []K, values []V) error {
	const call = "SortPairs"
	n := len(keys)
	if err := first(atLeast(call, "values", len(values), n), apart(call, "keys and values", keys, values)); err != nil {
		return err
	}
	sortNumbers(keys, values[:n:n], false)
	return nil
}

// sortNumbers sorts keys, and moves values if there are any.
func sortNumbers[K Number, V any](keys []K, values []V, descending bool) {
	if len(keys) < 2 {
		return
	}
	switch unsafe.Sizeof(keys[0]) {
	case 1:
		sortWords(wordsOf[uint8](keys), values, codingOf[K, uint8](descending))
	case 2:
		sortWords(wordsOf[uint16](keys), values, codingOf[K, uint16](descending))
	case 4:
		sortWords(wordsOf[uint32](keys), values, codingOf[K, uint32](descending))
	default:
		sortWords(wordsOf[uint64](keys), values, codingOf[K, uint64](descending))
	}
}

type word interface {
	uint8 | uint16 | uint32 | uint64
}

// wordsOf is numbers as words of their bits.
func wordsOf[W word, K Number](keys []K) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(keys))), len(keys))
}

// coding is how the bits of numbers become words in the numbers' order: flip is inverted in all of
// them, and negative in those whose sign is set, after that.
type coding[W word] struct{ sign, flip, negative W }

func codingOf[K Number, W word](descending bool) (o coding[W]) {
	sign := W(1) << (8*unsafe.Sizeof(W(0)) - 1)
	switch {
	case isFloat[K]():
		o = coding[W]{sign: sign, flip: sign, negative: ^sign}
	case K(0)-1 < 0:
		o.flip = sign
	}
	if descending {
		o.flip ^= ^W(0)
	}
	return o
}

// encode makes words of bits, and returns the bits in which they differ.
func (o coding[W]) encode(w []W) (differ W) {
	var and, or W = ^W(0), 0
	for i, v := range w {
		mask := o.flip
		if v&o.sign != 0 {
			mask ^= o.negative
		}
		v ^= mask
		w[i] = v
		and &= v
		or |= v
	}
	return and ^ or
}

// decode writes the bits of words.
func (o coding[W]) decode(to, w []W) {
	for i, v := range w {
		mask := o.flip
		if (v^o.flip)&o.sign != 0 {
			mask ^= o.negative
		}
		to[i] = v ^ mask
	}
}

// digits is the number of values of 8 bits.
const digits = 256

// fewKeys is how many keys are sorted by comparisons, for each of their bytes.
const fewKeys = 250

// sortWords sorts words whose bits have an order.
func sortWords[W word, V any](w []W, values []V, o coding[W]) {
	n := len(w)
	if n <= fewKeys*int(unsafe.Sizeof(w[0])) && values == nil {
		o.encode(w)
		slices.Sort(w)
		o.decode(w, w)
		return
	}
	differ := o.encodeAll(w)
	s := sorting[W, V]{from: w, to: make([]W, n), values: values, size: max(ceil(n, cores()), Part)}
	if values != nil {
		s.valuesTo = make([]V, n)
	}
	s.counts = make([][digits]int, ceil(n, s.size))
	for shift := 0; shift < 8*int(unsafe.Sizeof(w[0])); shift += 8 {
		if uint8(differ>>shift) != 0 {
			s.pass(shift)
		}
	}
	each(n, wide, func(from, to int) {
		o.decode(w[from:to], s.from[from:to])
		if values != nil && &s.values[0] != &values[0] {
			copy(values[from:to], s.values[from:to])
		}
	})
}

// encodeAll is encode on all cores.
func (o coding[W]) encodeAll(w []W) (differ W) {
	before := make([]W, ceil(len(w), wide))
	firsts := make([]W, len(before))
	each(len(w), wide, func(from, to int) {
		before[from/wide] = o.encode(w[from:to])
		firsts[from/wide] = w[from]
	})
	for p, d := range before {
		differ |= d | (firsts[p] ^ firsts[0])
	}
	return differ
}

// sorting is a radix sort of words. Each core has size adjacent ones.
type sorting[W word, V any] struct {
	from, to         []W
	values, valuesTo []V // nil if there are none
	size             int
	counts           [][digits]int // of each core
}

// pass sorts by 8 bits.
func (s *sorting[W, V]) pass(shift int) {
	n := len(s.from)
	each(n, s.size, func(from, to int) {
		counts := &s.counts[from/s.size]
		clear(counts[:])
		for _, w := range s.from[from:to] {
			counts[uint8(w>>shift)]++
		}
	})
	at := 0
	for d := range digits {
		for c := range s.counts {
			s.counts[c][d], at = at, at+s.counts[c][d]
		}
	}
	each(n, s.size, func(from, to int) {
		places := &s.counts[from/s.size]
		if s.values == nil {
			for _, w := range s.from[from:to] {
				place := &places[uint8(w>>shift)]
				s.to[*place] = w
				*place++
			}
			return
		}
		for i, w := range s.from[from:to] {
			place := &places[uint8(w>>shift)]
			s.to[*place], s.valuesTo[*place] = w, s.values[from+i]
			*place++
		}
	})
	s.from, s.to = s.to, s.from
	s.values, s.valuesTo = s.valuesTo, s.values
}
