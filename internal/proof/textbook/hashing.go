package main

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// Hash functions and tables.

// spread is the last part of MurmurHash3 by A. Appleby.
func spread(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// Insert counts how often each key occurs, in a table of a power of two of places. Key 0 is an empty
// place.
//
//gpu:kernel block=256
func Insert(keys, table, counts []uint32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(keys) {
		return
	}
	key := keys[i]
	at := int(spread(key)) & (len(table) - 1)
	for {
		old := gpu.AtomicCAS(&table[at], 0, key)
		if old == 0 || old == key {
			break
		}
		at = (at + 1) & (len(table) - 1)
	}
	gpu.AtomicAdd(&counts[at], 1)
}

// Lookup finds the value of each key in a table of a power of two of places, or 0.
//
//gpu:kernel block=256
func Lookup(table, values, keys, found []uint32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(keys) {
		return
	}
	key := keys[i]
	at := int(spread(key)) & (len(table) - 1)
	for table[at] != 0 && table[at] != key {
		at = (at + 1) & (len(table) - 1)
	}
	found[i] = 0
	if table[at] == key {
		found[i] = values[at]
	}
}

// FNV hashes records by FNV-1a of 64 bits: G. Fowler, L. Noll and K. Vo.
//
//gpu:kernel block=256
func FNV(text []uint8, hashes []uint64) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(hashes) {
		return
	}
	h := uint64(14695981039346656037)
	for _, b := range text[i*record : (i+1)*record] {
		h ^= uint64(b)
		h *= 1099511628211
	}
	hashes[i] = h
}

// XXHash hashes records of words by XXH32: Y. Collet.
//
//gpu:kernel block=256
func XXHash(words, hashes []uint32) {
	const p1, p2, p3 = 2654435761, 2246822519, 3266489917
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(hashes) {
		return
	}
	mine := words[i*(record/4):][:record/4]
	v := [4]uint32{p1 + p2 - 1<<32, p2, 0, 1<<32 - p1}
	for k, w := range mine {
		v[k%4] = bits.RotateLeft32(v[k%4]+w*p2, 13) * p1
	}
	h := bits.RotateLeft32(v[0], 1) + bits.RotateLeft32(v[1], 7) + bits.RotateLeft32(v[2], 12) + bits.RotateLeft32(v[3], 18)
	h += record
	h ^= h >> 15
	h *= p2
	h ^= h >> 13
	h *= p3
	hashes[i] = h ^ h>>16
}
