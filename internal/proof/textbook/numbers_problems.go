package main

import (
	"math/big"
	"math/bits"
	"time"

	"github.com/gridstride/gridstride"
)

func (z *sizes) numbers() []*problem {
	grid := func(n int) gridstride.Config { return gridstride.Grid(over(n, block)).Block(block) }
	return []*problem{
		newProblem("Collatz", grid(z.records*2), z.collatz),
		newProblem("Sieve", gridstride.Grid(z.batch).Block(block), z.sieve),
		newProblem("Walk", grid(z.records*2), z.walk),
		newProblem("Powers", grid(z.many/8), z.powers),
		newProblem("Euclid", grid(z.many/8), z.euclid),
		newProblem("Dates", grid(z.many), z.dates),
		newProblem("Hamming", gridstride.Grid(z.blocks).Block(block), z.hamming),
	}
}

func (z *sizes) collatz(w *workshop) {
	first := uint64(1)<<33 + 1
	steps := resultOf[int32](w, z.records*2)
	w.want = func(i int) float64 {
		count := 0.0
		for n := first + uint64(i); n != 1; count++ {
			if zeros := bits.TrailingZeros64(n); zeros > 0 {
				n >>= zeros
				count += float64(zeros - 1)
			} else {
				n = 3*n + 1
			}
		}
		return count
	}
	w.args([]any{first, steps}, []any{first, steps, int32(z.records * 2)})
}

func (z *sizes) sieve(w *workshop) {
	composite := make([]bool, z.batch*sieved)
	var small []int32
	for p := 2; p < len(composite); p++ {
		if !composite[p] && p*p < len(composite) {
			small = append(small, int32(p))
			for m := p * p; m < len(composite); m += p {
				composite[m] = true
			}
		}
	}
	primes, counts := copyOf(w, small), resultOf[int32](w, z.batch)
	w.want = func(i int) float64 {
		count := 0.0
		for _, c := range composite[i*sieved : (i+1)*sieved] {
			if !c {
				count++
			}
		}
		return count
	}
	w.args([]any{primes, counts}, []any{primes, counts, int32(len(small))})
}

func (z *sizes) walk(w *workshop) {
	seed, steps := uint32(12345), 500
	far := resultOf[int32](w, z.records*2)
	w.want = func(i int) float64 {
		state, at, most := uint64(seed)+uint64(i)*2654435761, 0, 0
		for range steps {
			state = (state%(1<<32)*1664525 + 1013904223) % (1 << 32)
			at += 1 - 2*int(state>>31)
			most = max(most, at, -at)
		}
		return float64(most)
	}
	w.args([]any{seed, steps, far}, []any{seed, int32(steps), far, int32(z.records * 2)})
}

func (z *sizes) powers(w *workshop) {
	exponent, modulus := uint32(65537), uint32(4294967291)
	host := integers[uint32](z.many/8, 0, 1<<32)
	bases, powers := copyOf(w, host), resultOf[uint32](w, len(host))
	w.want = func(i int) float64 {
		x := new(big.Int).Exp(big.NewInt(int64(host[i])), big.NewInt(int64(exponent)), big.NewInt(int64(modulus)))
		return float64(x.Int64())
	}
	w.args([]any{bases, exponent, modulus, powers}, []any{bases, exponent, modulus, powers, int32(len(host))})
}

func (z *sizes) euclid(w *workshop) {
	n := z.many / 8
	ha, hb := integers[int32](n, 1, 1<<31), integers[int32](n+1, 1, 1<<31)[:n]
	a, b, divisors := copyOf(w, ha), copyOf(w, hb), resultOf[int32](w, n)
	w.want = func(i int) float64 {
		x := new(big.Int).GCD(nil, nil, big.NewInt(int64(ha[i])), big.NewInt(int64(hb[i])))
		return float64(x.Int64())
	}
	w.args([]any{a, b, divisors}, []any{a, b, divisors, int32(n)})
}

func (z *sizes) dates(w *workshop) {
	host := integers[int32](z.many, -100000, 1000000)
	days, dates := copyOf(w, host), resultOf[int32](w, z.many)
	w.want = func(i int) float64 {
		year, month, day := time.Unix(int64(host[i])*86400, 0).UTC().Date()
		return float64(year*10000 + int(month)*100 + day)
	}
	w.args([]any{days, dates}, []any{days, dates, int32(z.many)})
}

func (z *sizes) hamming(w *workshop) {
	hl, ha := integers[uint64](z.graph, 0, 1<<62), integers[uint64](z.records, 0, 1<<62)
	list, asked, least := copyOf(w, hl), copyOf(w, ha), resultOf[int32](w, z.records)
	w.want = func(i int) float64 {
		best := 64
		for _, f := range hl {
			best = min(best, bits.OnesCount64(f^ha[i]))
		}
		return float64(best)
	}
	w.args([]any{list, asked, least}, []any{list, asked, least, int32(len(hl)), int32(len(ha))})
}
