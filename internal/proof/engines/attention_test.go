package engines

import (
	"math"

	"github.com/gridstride/gridstride/internal/machine/sim"
)

// The attention of Triton's kernel: softmax(q kT / 8) v of f16, for heads that follow each other. A query
// looks at the keys up to its own.
const (
	heads     = 2
	headWidth = 64
	scaling   = 1.0 / 8
)

// queries are the numbers of q, k or v, which are exact in f16.
func queries(seed, n int) []float32 {
	list := make([]float32, heads*n*headWidth)
	h := uint32(seed)
	for i := range list {
		h = h*1664525 + 1013904223
		list[i] = float32(int32(h>>24)-128) / 64
	}
	return list
}

// halves are floats in f16, which has them.
func halves(list []float32) []uint16 {
	to := make([]uint16, len(list))
	for i, v := range list {
		if v != 0 {
			b := math.Float32bits(v)
			to[i] = uint16(b>>16&0x8000 | (b>>23&0xff-112)<<10 | b>>13&0x3ff)
		}
	}
	return to
}

func startAttention(r *rig, n int) (reset func(), run func() float64) {
	q, _ := upload(r, halves(queries(1, n)))
	k, _ := upload(r, halves(queries(2, n)))
	v, _ := upload(r, halves(queries(3, n)))
	out, result := upload(r, make([]uint16, heads*n*headWidth))
	l := sim.Launch{Grid: [3]int{(n + 63) / 64, heads, 1}, Block: x(128), Shared: 24576}
	return nothing, func() float64 {
		r.launch("attention", l, q, k, v, out, int32(n), float32(math.Log2E*scaling))
		return squares(singles(result))
	}
}

// singles are the values of f16.
func singles(list []uint16) []float32 {
	to := make([]float32, len(list))
	for i, h := range list {
		to[i] = math.Float32frombits(uint32(h)&0x8000<<16|uint32(h)&0x7fff<<13) * 0x1p112
	}
	return to
}

func squares(list []float32) (sum float64) {
	for _, v := range list {
		sum += float64(v) * float64(v)
	}
	return sum
}

// attentionInGo takes a query at a time.
func attentionInGo(n int) (reset func(), run func() float64) {
	q, k, v, out := queries(1, n), queries(2, n), queries(3, n), make([]float32, heads*n*headWidth)
	weights := make([]float32, n)
	return nothing, func() float64 {
		for first := 0; first < len(q); first += n * headWidth {
			for i := first; i < first+n*headWidth; i += headWidth {
				end := i + headWidth
				attend(out[i:end], q[i:end], k[first:end], v[first:end], weights[:(end-first)/headWidth])
			}
		}
		return squares(out)
	}
}

// attend computes a row of the result.
func attend(to, query, k, v, weights []float32) {
	largest := float32(math.Inf(-1))
	for j := range weights {
		sum, row := float32(0), k[j*headWidth:(j+1)*headWidth]
		for i, a := range query {
			sum += a * row[i]
		}
		weights[j] = sum * scaling
		largest = max(largest, weights[j])
	}
	clear(to)
	all := float32(0)
	for j, w := range weights {
		w = float32(math.Exp(float64(w - largest)))
		all += w
		for i, b := range v[j*headWidth : (j+1)*headWidth] {
			to[i] += w * b
		}
	}
	for i := range to {
		to[i] /= all
	}
}
