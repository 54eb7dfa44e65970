package segment

import (
	"encoding/binary"
	"math/bits"
)

// A Bound covers postings: each has a term frequency and a document's length for which one of the
// two pairs has no lower frequency and no greater length. A bound of both pairs' weights bounds
// every posting's weight, whatever the statistics of the collection are, for a weight that grows
// with the frequency and falls with the length (Ding and Suel, Faster top-k document retrieval
// using block-max indexes, SIGIR 2011; Lucene keeps such pairs too, as impacts).
type Bound [2]Pair

// Pair is a frequency and a length. A frequency of 0 stands for any.
type Pair struct{ TF, Length uint32 }

const (
	boundBytes = 6
	anyTF      = 255 // the code of this frequency and higher ones
)

// boundOf covers postings, given the lengths of all documents. It keeps the greatest frequency
// apart from the lowest one where that makes the pairs tighter: long documents repeat a term more
// often.
func boundOf(docs, tfs, lengths []uint32) Bound {
	low := tfs[0]
	for _, tf := range tfs {
		low = min(low, tf)
	}
	var b Bound
	b[0].Length, b[1].Length = ^uint32(0), ^uint32(0)
	for i, tf := range tfs {
		p := &b[0]
		if tf == low {
			p = &b[1]
		}
		p.TF, p.Length = max(p.TF, tf), min(p.Length, lengths[docs[i]])
	}
	return b.tidy()
}

// tidy makes both pairs the same where one of them covers no posting.
func (b Bound) tidy() Bound {
	for i := range b {
		if b[i].TF == 0 {
			b[i] = b[1-i]
		}
	}
	return b
}

// join covers what both cover.
func (b Bound) join(o Bound) Bound {
	for i := range b {
		b[i] = Pair{max(b[i].TF, o[i].TF), min(b[i].Length, o[i].Length)}
	}
	return b
}

func (b Bound) append(dst []byte) []byte {
	for _, p := range b {
		dst = append(dst, byte(min(p.TF, anyTF)))
		dst = binary.LittleEndian.AppendUint16(dst, shortLength(p.Length))
	}
	return dst
}

func readBound(b []byte) (bound Bound) {
	for i := range bound {
		p := Pair{uint32(b[3*i]), longLength(binary.LittleEndian.Uint16(b[3*i+1:]))}
		if p.TF == anyTF {
			p.TF = 0
		}
		bound[i] = p
	}
	return bound
}

// shortLength rounds a length down to eleven significant bits, and longLength reads that.
func shortLength(n uint32) uint16 {
	e := uint32(max(bits.Len32(n)-11, 0))
	return uint16(e<<10 + n>>e)
}

func longLength(code uint16) uint32 {
	if code < 2048 {
		return uint32(code)
	}
	e := uint32(code)>>10 - 1
	return (uint32(code) - e<<10) << e
}
