package text

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// A table has numbers by strings. It is a hash table with open addressing that holds no pointers,
// so that the garbage collector passes it over.
type table struct {
	slots []slot // none, or a power of two, at most half of them used
	long  []byte // strings of more than shortString bytes, each after its length of 4 bytes
	len   int
}

const shortString = 8

// A slot holds a string and its number.
type slot struct {
	key   uint64 // of the string
	where uint32 // 0 for none, the length of a short string plus 1, or slotLong with the offset of a long one
	value uint32
}

const slotLong = shortString + 2

// hashed is a string to look for. The key of a short string is its bytes, filled with zeros, and
// the key of a long one its hash.
type hashed struct {
	string
	key  uint64
	hash uint64
}

// The hashes differ from one run of a program to the next, so that no text makes them collide.
var (
	seed      = maphash.MakeSeed()
	shortSeed = rand.Uint64()
)

func hash(s string) hashed {
	if len(s) > shortString {
		h := maphash.String(seed, s)
		return hashed{s, h, h}
	}
	key := uint64(0)
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	switch n := len(b); {
	case n >= 4:
		first, last := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[n-4:])
		key = uint64(first) | uint64(last)<<(8*(n-4)&63)
	case n > 0:
		key = uint64(b[0]) | uint64(b[n/2])<<(8*(n/2)&63) | uint64(b[n-1])<<(8*(n-1)&63)
	}
	return hashed{s, key, mix(key)}
}

// mix is a hash of a short string's key: the halves of a product, as in wyhash (Wang Yi, 2019).
func mix(key uint64) uint64 {
	high, low := bits.Mul64(key^shortSeed, 0x9e3779b97f4a7c15)
	return high ^ low
}

// find returns the number of a string.
func (t *table) find(s *hashed) (value uint32, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	mask := uint64(len(t.slots) - 1)
	for i := s.hash & mask; ; i = (i + 1) & mask {
		switch e := &t.slots[i]; {
		case e.where == 0:
			return 0, false
		case e.key == s.key && (e.where == uint32(len(s.string))+1 || e.where >= slotLong && t.longString(e.where) == s.string):
			return e.value, true
		}
	}
}

func (t *table) longString(where uint32) string {
	b := t.long[where-slotLong:]
	return unsafe.String(&b[4], binary.LittleEndian.Uint32(b))
}

// add adds a string that the table does not have.
func (t *table) add(s *hashed, value uint32) {
	if 2*t.len >= len(t.slots) {
		t.grow()
	}
	where := uint32(len(s.string)) + 1
	if len(s.string) > shortString {
		where = slotLong + uint32(len(t.long))
		t.long = binary.LittleEndian.AppendUint32(t.long, uint32(len(s.string)))
		t.long = append(t.long, s.string...)
	}
	t.put(slot{s.key, where, value}, s.hash)
	t.len++
}

func (t *table) put(e slot, hash uint64) {
	mask := uint64(len(t.slots) - 1)
	i := hash & mask
	for t.slots[i].where != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = e
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, max(1024, 2*len(old)))
	for _, e := range old {
		switch {
		case e.where >= slotLong:
			t.put(e, e.key)
		case e.where > 0:
			t.put(e, mix(e.key))
		}
	}
}
