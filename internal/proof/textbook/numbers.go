package main

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// Integers and random numbers.

const sieved = 8192 // the numbers of a segment of a sieve

// Collatz counts the steps of each number to 1.
//
//gpu:kernel block=256
func Collatz(first uint64, steps []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(steps) {
		return
	}
	n, count := first+uint64(i), int32(0)
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		count++
	}
	steps[i] = count
}

// Sieve counts the primes of a segment of numbers in each block, by the primes up to the root of the
// largest.
//
//gpu:kernel block=256
func Sieve(primes []int32, counts []int32) {
	marks := gpu.Shared[[sieved / 32]uint32]()
	total := gpu.Shared[int32]()
	t, first := gpu.ThreadIdx.X, int32(gpu.BlockIdx.X*sieved)
	marks[t] = 0
	if t == 0 {
		*total = 0
	}
	gpu.SyncThreads()
	for k := t; k < len(primes); k += block {
		p := primes[k]
		from := max((first+p-1)/p*p, p*p)
		for m := from - first; m < sieved; m += p {
			gpu.AtomicOr(&marks[m/32], 1<<(m%32))
		}
	}
	gpu.SyncThreads()
	gpu.AtomicAdd(total, int32(bits.OnesCount32(^marks[t])))
	gpu.SyncThreads()
	if t == 0 {
		counts[gpu.BlockIdx.X] = *total
	}
}

// Walk takes random steps on a line, by a linear congruential generator, and says how far from the
// start each walk came.
//
//gpu:kernel block=256
func Walk(seed uint32, steps int, far []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(far) {
		return
	}
	state := seed + uint32(i)*2654435761
	at, most := int32(0), int32(0)
	for k := 0; k < steps; k++ {
		state = state*1664525 + 1013904223
		if state>>31 == 0 {
			at++
		} else {
			at--
		}
		most = max(most, at, -at)
	}
	far[i] = most
}

// Powers raises each number to a power, modulo another.
//
//gpu:kernel block=256
func Powers(bases []uint32, exponent, modulus uint32, powers []uint32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(bases) {
		return
	}
	base, power := uint64(bases[i]%modulus), uint64(1)
	for e := exponent; e > 0; e /= 2 {
		if e%2 == 1 {
			power = power * base % uint64(modulus)
		}
		base = base * base % uint64(modulus)
	}
	powers[i] = uint32(power)
}

// Euclid finds the greatest common divisors of pairs.
//
//gpu:kernel block=256
func Euclid(a, b, divisors []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(divisors) {
		x, y := a[i], b[i]
		for y != 0 {
			x, y = y, x%y
		}
		divisors[i] = x
	}
}

// Dates makes dates of days since 1970, as year*10000 + month*100 + day: H. Hinnant,
// "chrono-compatible low-level date algorithms", 2021.
//
//gpu:kernel block=256
func Dates(days, dates []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(days) {
		return
	}
	z := days[i] + 719468
	era := z / 146097
	day := z % 146097
	year := (day - day/1460 + day/36524 - day/146096) / 365
	day -= 365*year + year/4 - year/100
	month := (5*day + 2) / 153
	day -= (153*month+2)/5 - 1
	year += era * 400
	if month < 10 {
		month += 3
	} else {
		month -= 9
		year++
	}
	dates[i] = year*10000 + month*100 + day
}

// Hamming finds for each fingerprint how many bits it differs in from the one of a list that is most
// like it.
//
//gpu:kernel block=256
func Hamming(list, asked []uint64, least []int32) {
	for i := range gpu.GridStride(len(asked)) {
		best := 64
		for _, f := range list {
			best = min(best, bits.OnesCount64(f^asked[i]))
		}
		least[i] = int32(best)
	}
}
