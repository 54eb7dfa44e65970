package main

import (
	"hash/crc32"

	"github.com/gridstride/gridstride"
)

func (z *sizes) sequences() []*problem {
	grid := gridstride.Grid
	return []*problem{
		newProblem("Align", grid(z.batch).Block(query), z.align),
		newProblem("Levenshtein", grid(over(z.records, 128)).Block(128), z.levenshtein),
		newProblem("Automaton", grid(over(z.records, block)).Block(block), z.automaton),
		newProblem("Checksums", grid(over(z.records, block)).Block(block), z.checksums),
		newProblem("Segments", grid(over(z.many, block)).Block(block), z.segments),
	}
}

func (z *sizes) align(w *workshop) {
	const length = 201
	hq, ht := integers[uint8](z.batch*query, 0, 4), integers[uint8](z.batch*length, 0, 4)
	queries, targets, scores := copyOf(w, hq), copyOf(w, ht), resultOf[int32](w, z.batch)
	w.want = func(i int) float64 {
		var above [length + 1]int
		most := 0
		for _, q := range hq[i*query : (i+1)*query] {
			var row [length + 1]int
			for j, t := range ht[i*length : (i+1)*length] {
				score := -1
				if q == t {
					score = 2
				}
				row[j+1] = max(0, above[j]+score, above[j+1]-1, row[j]-1)
				most = max(most, row[j+1])
			}
			above = row
		}
		return float64(most)
	}
	w.args([]any{queries, targets, scores, length}, []any{queries, targets, scores, int32(length)})
}

func (z *sizes) levenshtein(w *workshop) {
	ha, hb := integers[uint8](z.records*word, 0, 3), integers[uint8](z.records*word+1, 0, 3)[:z.records*word]
	a, b, edits := copyOf(w, ha), copyOf(w, hb), resultOf[int32](w, z.records)
	w.want = func(i int) float64 {
		var d [word + 1][word + 1]int
		for j := range d {
			for k := range d {
				if j == 0 || k == 0 {
					d[j][k] = j + k
					continue
				}
				d[j][k] = min(d[j-1][k], d[j][k-1]) + 1
				if ha[i*word+j-1] == hb[i*word+k-1] {
					d[j][k] = min(d[j][k], d[j-1][k-1])
				} else {
					d[j][k] = min(d[j][k], d[j-1][k-1]+1)
				}
			}
		}
		return float64(d[word][word])
	}
	w.args([]any{a, b, edits}, []any{a, b, edits, int32(z.records)})
}

func (z *sizes) automaton(w *workshop) {
	const states = 61
	ht, hn := integers[uint8](z.records*record, 0, 256), integers[uint8](states*256, 0, states)
	text, next, ends := copyOf(w, ht), copyOf(w, hn), resultOf[uint8](w, z.records)
	w.want = func(i int) float64 {
		state := 0
		for k := range record {
			state = int(hn[state*256+int(ht[i*record+k])])
		}
		return float64(state)
	}
	w.args([]any{text, next, ends}, []any{text, next, ends, int32(z.records)})
}

func (z *sizes) checksums(w *workshop) {
	host := integers[uint8](z.records*record, 0, 256)
	text, sums := copyOf(w, host), resultOf[uint32](w, z.records)
	w.want = func(i int) float64 { return float64(crc32.ChecksumIEEE(host[i*record : (i+1)*record])) }
	w.args([]any{text, sums}, []any{text, sums, int32(z.records)})
}

func (z *sizes) segments(w *workshop) {
	hx, hh := integers[int32](z.many, -1000, 1000), make([]bool, z.many)
	for i, v := range integers[uint8](z.many, 0, 7) {
		hh[i] = v == 0
	}
	x, heads, sums := copyOf(w, hx), copyOf(w, hh), resultOf[int32](w, z.many)
	w.want = func(i int) float64 {
		sum := 0.0
		for k := i; ; k-- {
			sum += float64(hx[k])
			if hh[k] || k%32 == 0 {
				return sum
			}
		}
	}
	w.args([]any{x, heads, sums}, []any{x, heads, sums, int32(z.many)})
}
