package mathtest

import (
	"math"
	"math/rand/v2"
)

// points gives random arguments of a function. The same seed gives the same arguments.
type points struct {
	f      *Function
	single bool
	random *rand.PCG
}

func (f *Function) points(single bool, seed uint64) *points {
	return &points{f, single, rand.NewPCG(seed, uint64(len(f.Name)))}
}

// next is the next argument, or pair: a quarter are random bits, the others are in the ranges that
// matter, half of them uniform, half with uniform exponents.
func (p *points) next() (x, y float64) {
	choice := p.random.Uint64()
	if choice%4 == 0 || len(p.f.Near) == 0 {
		return p.bits(), p.bits()
	}
	box := p.f.Near[choice>>8%uint64(len(p.f.Near))]
	return p.round(p.within(box.X)), p.round(p.within(box.Y))
}

// bits is a number of random bits.
func (p *points) bits() float64 {
	if p.single {
		return float64(math.Float32frombits(uint32(p.random.Uint64())))
	}
	return math.Float64frombits(p.random.Uint64())
}

// round is the number of the type that is next to x.
func (p *points) round(x float64) float64 {
	if p.single {
		return float64(float32(x))
	}
	return x
}

// within is a number of an interval.
func (p *points) within(i Interval) float64 {
	r := p.random.Uint64()
	u := float64(p.random.Uint64()>>11) * 0x1p-53
	if r%2 == 0 {
		return min(max(i.Low+(i.High-i.Low)*u, i.Low), i.High)
	}
	// Even exponents: on one side of 0, which side is as likely as the interval has two.
	low, high, sign := i.Low, i.High, 1.0
	if low < 0 && (high <= 0 || r>>1%2 == 0) {
		low, high, sign = max(-high, 0), -low, -1
	}
	most := math.Ilogb(high)
	least := most - 60
	if low > 0 {
		least = math.Ilogb(low)
	}
	x := math.Ldexp(1+u, least+int(r>>8%uint64(most-least+1)))
	return sign * min(max(x, low), high)
}

// boundaries are numbers near which a mistake is likely: zeros, the ends of the subnormal and the
// normal numbers, small integers and halves and their neighbours, powers of two past which a number
// has no fraction, or is always even, infinities and NaN.
func boundaries(single bool) []float64 {
	var list []float64
	add := func(x, before, after float64) {
		for _, v := range []float64{x, before, after} {
			list = append(list, v, -v)
		}
	}
	for _, x := range []float64{0.25, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 10, 88, 709, math.E, math.Pi, math.Ln2, math.Sqrt2,
		0x1p-12, 0x1p-24, 0x1p-26, 0x1p-53, 0x1p22, 0x1p23, 0x1p24, 0x1p31, 0x1p52, 0x1p53, 0x1p63, 0x1p100} {
		if single {
			v := float32(x)
			add(float64(v), float64(math.Nextafter32(v, 0)), float64(math.Nextafter32(v, 1e30)))
		} else {
			add(x, math.Nextafter(x, 0), math.Nextafter(x, 1e300))
		}
	}
	if single {
		add(0, 0x1p-149, 3*0x1p-149)
		add(0x1p-126, 0x1p-126-0x1p-149, 0x1p-126+0x1p-149)
		add(math.MaxFloat32, math.MaxFloat32/2, math.MaxFloat32/3*2)
	} else {
		add(0, 0x1p-1074, 3*0x1p-1074)
		add(0x1p-1022, 0x1p-1022-0x1p-1074, 0x1p-1022+0x1p-1074)
		add(math.MaxFloat64, math.MaxFloat64/2, math.MaxFloat64/3*2)
	}
	for i, x := range list {
		if single {
			list[i] = float64(float32(x))
		}
	}
	return append(list, math.Inf(1), math.Inf(-1), math.NaN())
}

// hard calls try for every hard argument, and every boundary or pair of them.
func (f *Function) hard(single bool, try func(x, y float64)) {
	round := func(x float64) float64 {
		if single {
			return float64(float32(x))
		}
		return x
	}
	edges := boundaries(single)
	if !f.Pair {
		for _, x := range f.Hard {
			try(round(x), 0)
		}
		for _, x := range edges {
			try(x, 0)
		}
		return
	}
	for i := 0; i+1 < len(f.Hard); i += 2 {
		try(round(f.Hard[i]), round(f.Hard[i+1]))
	}
	for _, x := range edges {
		for _, y := range edges {
			try(x, y)
		}
	}
}

// Arguments are arguments to compare two implementations at: the hard ones, boundaries, of pairs a
// share of those, and n random ones. y is for pairs.
func (f *Function) Arguments(single bool, n int) (x, y []float64) {
	tries := 0
	try := func(a, b float64) {
		if tries++; !f.Pair || tries%share == 0 {
			x, y = append(x, a), append(y, b)
		}
	}
	f.hard(single, try)
	p := f.points(single, 2)
	for range n {
		a, b := p.next()
		x, y = append(x, a), append(y, b)
	}
	return x, y
}

// share is the one of how many boundary pairs that Arguments gives.
const share = 101
