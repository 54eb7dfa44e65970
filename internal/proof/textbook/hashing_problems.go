package main

import (
	"context"
	"hash/fnv"
	"math"
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride"
)

func (z *sizes) hashing() []*problem {
	grid := func(n int) gridstride.Config { return gridstride.Grid(over(n, block)).Block(block) }
	return []*problem{
		newProblem("Insert", grid(z.many/8), z.insert),
		newProblem("Lookup", grid(z.many/4), z.lookup),
		newProblem("FNV", grid(z.records), z.fnv),
		newProblem("XXHash", grid(z.records*4), z.xxhash),
	}
}

// places is a power of two of places, for a table that is at most half full.
func places(n int) int { return 1 << bits.Len(uint(2*n-1)) }

func (z *sizes) insert(w *workshop) {
	n := z.many / 8
	host := integers[uint32](n, 1, int64(n))
	keys, table := copyOf(w, host), copyOf(w, make([]uint32, places(n)))
	counts := resultOf[uint32](w, places(n))
	w.clear = func(s *gridstride.Stream) error {
		if err := table.Zero(s); err != nil {
			return err
		}
		return counts.Zero(s)
	}
	times := map[uint32]float64{}
	for _, key := range host {
		times[key]++
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(host)))
	w.want = func(i int) float64 { return times[distinct[i]] }
	w.result = func(ctx context.Context, s *gridstride.Stream) ([]float64, error) {
		k, err := table.Read(ctx, s, nil)
		if err != nil {
			return nil, err
		}
		c, err := counts.Read(ctx, s, nil)
		return countsOf(distinct, k, c), err
	}
	w.args([]any{keys, table, counts}, []any{keys, table, counts, int32(places(n)), int32(n)})
}

// countsOf are the counts of keys in a hash table: NaN for a key that is there twice.
func countsOf(keys, table, counts []uint32) []float64 {
	found := map[uint32]float64{}
	for at, key := range table {
		if _, twice := found[key]; twice {
			found[key] = math.NaN()
		} else if key != 0 {
			found[key] = float64(counts[at])
		}
	}
	var out []float64
	for _, key := range keys {
		out = append(out, found[key])
	}
	return out
}

func (z *sizes) lookup(w *workshop) {
	n := z.many / 8
	hk, ht, hv := integers[uint32](2*n, 1, int64(2*n)), make([]uint32, places(n)), make([]uint32, places(n))
	known := map[uint32]uint32{}
	for i, key := range hk[:n] {
		at := int(spread(key)) & (len(ht) - 1)
		for ht[at] != 0 && ht[at] != key {
			at = (at + 1) & (len(ht) - 1)
		}
		ht[at], hv[at] = key, uint32(i+1)
		known[key] = uint32(i + 1)
	}
	table, values, keys, found := copyOf(w, ht), copyOf(w, hv), copyOf(w, hk), resultOf[uint32](w, 2*n)
	w.want = func(i int) float64 { return float64(known[hk[i]]) }
	w.args([]any{table, values, keys, found}, []any{table, values, keys, found, int32(len(ht)), int32(2 * n)})
}

func (z *sizes) fnv(w *workshop) {
	host := integers[uint8](z.records*record, 0, 256)
	text, hashes := copyOf(w, host), resultOf[uint64](w, z.records)
	w.want = func(i int) float64 {
		h := fnv.New64a()
		h.Write(host[i/2*record : (i/2+1)*record])
		if i%2 == 0 {
			return float64(h.Sum64() >> 32)
		}
		return float64(uint32(h.Sum64()))
	}
	w.args([]any{text, hashes}, []any{text, hashes, int32(z.records)})
}

func (z *sizes) xxhash(w *workshop) {
	n := z.records * 4
	host := integers[uint32](n*record/4, 0, 1<<32)
	words, hashes := copyOf(w, host), resultOf[uint32](w, n)
	w.want = func(i int) float64 { return float64(xxh32(host[i*record/4 : (i+1)*record/4])) }
	w.args([]any{words, hashes}, []any{words, hashes, int32(n)})
}

// xxh32 is XXH32 of whole stripes of four words, with seed 0.
func xxh32(words []uint32) uint32 {
	p := []uint64{2654435761, 2246822519, 3266489917}
	round := func(lane, w uint64) uint64 {
		return uint64(bits.RotateLeft32(uint32(lane+w*p[1]), 13)) * p[0]
	}
	lanes := []uint64{p[0] + p[1], p[1], 0, -p[0]}
	for i, w := range words {
		lanes[i%4] = round(lanes[i%4], uint64(w))
	}
	h := uint64(4 * len(words))
	for i, r := range []int{1, 7, 12, 18} {
		h += uint64(bits.RotateLeft32(uint32(lanes[i]), r))
	}
	for i, r := range []int{15, 13} {
		h = (h ^ uint64(uint32(h))>>r) * p[i+1]
	}
	return uint32(h) ^ uint32(h)>>16
}
