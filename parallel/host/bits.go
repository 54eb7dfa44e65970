package host

import "math/bits"

// marks has a bit for each of n elements.
type marks struct {
	n      int
	words  []uint64
	before []int // each part of the words: the bits before it
}

// wordsOfPart is the number of words of a part.
const wordsOfPart = Part / 64

// markAll marks elements on all cores. mark returns the bits of up to 64 elements.
func markAll(n int, mark func(from, to int) (word uint64)) *marks {
	m := &marks{n: n, words: make([]uint64, ceil(n, 64)), before: make([]int, ceil(n, Part)+1)}
	each(len(m.words), wordsOfPart, func(from, to int) {
		count := 0
		for w := from; w < to; w++ {
			m.words[w] = mark(w*64, min(w*64+64, n))
			count += bits.OnesCount64(m.words[w])
		}
		m.before[from/wordsOfPart+1] = count
	})
	for p := range len(m.before) - 1 {
		m.before[p+1] += m.before[p]
	}
	return m
}

// bit is a bit for an answer.
func bit(yes bool) (b uint64) {
	if yes {
		b = 1
	}
	return b
}

// count is the number of marks.
func (m *marks) count() int { return m.before[len(m.before)-1] }

// from is the bits of the elements from i on that are in i's word.
func (m *marks) from(i int) uint64 { return m.words[i/64] >> (i % 64) }

// next is the first marked element from i on, or n.
func (m *marks) next(i int) int {
	for i < m.n {
		if word := m.from(i); word != 0 {
			return i + bits.TrailingZeros64(word)
		}
		i += 64 - i%64
	}
	return m.n
}

// each calls do for parts of the elements, on all cores. at is the number of marks before a part.
func (m *marks) each(do func(from, to, at int)) {
	each(m.n, Part, func(from, to int) { do(from, to, m.before[from/Part]) })
}
