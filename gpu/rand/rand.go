package rand

import "github.com/gridstride/gridstride/gpu"

// Rand is a stream of random words and the place in it. The zero value is New(0, 0). A Rand is for
// one thread, or one goroutine, at a time. A copy of it goes on by itself from the same place.
//
// On the host a *Rand is a Source of math/rand/v2, whose functions then draw from the stream.
type Rand struct {
	seed, stream uint64
	offset       uint64       // words drawn so far
	block        gpu.Uint32x4 // those that the offset is among, unless it is a multiple of 4
}

// New is the beginning of a stream. Threads with the same seed and different stream numbers draw
// from different streams.
func New(seed, stream uint64) Rand { return Rand{seed: seed, stream: stream} }

// Offset is the number of words drawn so far, those skipped included.
func (r *Rand) Offset() uint64 { return r.offset }

// Skip leaves out the next n words. It takes as long for many as for one.
func (r *Rand) Skip(n uint64) {
	r.offset += n
	if r.offset%4 != 0 {
		r.block = r.blockAt(r.offset / 4)
	}
}

// blockAt is the words from 4*i to 4*i+3 of the stream.
func (r *Rand) blockAt(i uint64) gpu.Uint32x4 {
	counter := gpu.Uint32x4{X: uint32(i), Y: uint32(i >> 32), Z: uint32(r.stream), W: uint32(r.stream >> 32)}
	return Philox4x32(counter, gpu.Uint32x2{X: uint32(r.seed), Y: uint32(r.seed >> 32)})
}

// Uint32 is the next word of the stream. All values are as likely.
func (r *Rand) Uint32() uint32 {
	at := r.offset % 4
	if at == 0 {
		r.block = r.blockAt(r.offset / 4)
	}
	r.offset++
	return word(r.block, at)
}

// Uint64 is the next two words of the stream, the first of them the low one.
func (r *Rand) Uint64() uint64 {
	at := r.offset % 4
	low := r.block.W
	if at%3 == 0 { // the first word is to come, or the second is
		r.block = r.blockAt((r.offset + 3) / 4)
	}
	r.offset += 2
	if at != 3 {
		low = word(r.block, at)
	}
	return uint64(word(r.block, (at+1)%4))<<32 | uint64(low)
}

// Uint32x4 is the next four words of the stream. It computes one block, which is cheapest for a
// word where a kernel needs that many, and the code of a kernel then has the generator once and not
// four times.
func (r *Rand) Uint32x4() gpu.Uint32x4 {
	old, at := r.block, r.offset%4
	r.block = r.blockAt((r.offset + 3) / 4)
	r.offset += 4
	switch next := r.block; at {
	case 1:
		return gpu.Uint32x4{X: old.Y, Y: old.Z, Z: old.W, W: next.X}
	case 2:
		return gpu.Uint32x4{X: old.Z, Y: old.W, Z: next.X, W: next.Y}
	case 3:
		return gpu.Uint32x4{X: old.W, Y: next.X, Z: next.Y, W: next.Z}
	}
	return r.block
}

// word is a word of a block.
func word(b gpu.Uint32x4, at uint64) uint32 {
	switch at {
	case 0:
		return b.X
	case 1:
		return b.Y
	case 2:
		return b.Z
	}
	return b.W
}
