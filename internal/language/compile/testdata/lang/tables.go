package lang

import (
	"math"
	"math/bits"
)

type color struct {
	name    int8
	r, g, b uint8
	weight  float64
	bright  bool
}

func (c color) luma() float64 { return c.weight * float64(c.r) }

const two = 2

var (
	squares = [...]int64{0, 1, 4, 9, 16, 25, 36, 49}
	sparse  = [9]uint16{1: 65535, two: 7, 8: 1}
	grid    = [3][4]int8{{1, -2, 3, -4}, {}, {2: 127, 3: -128}}
	palette = [...]color{
		{name: 1, r: 255, weight: 0.2126}, {2, 0, 128, 255, 0.7152, true}, 4: {name: -5, weight: 1e300, bright: true},
	}
	halves, thirds [5]float32 = [5]float32{0.5, 1, 1.5}, [5]float32{1. / 3, 2. / 3}

	zeros [100]int32
	seed  uint32 = 0x9e3779b9
	flags        = [4]bool{true, 2: true}

	primes = []int32{2, 3, 5, 7, 11, 13, 17, 19}
	points = []struct{ x, y int16 }{{1, 2}, {-3, 4}, {y: 9}}
	none   []uint8

	large = [300]int32{0: 1, 150: -150, 299: 299}
)

// Tables reads package-level variables at indices that it does not know.
//
//gpu:kernel
func Tables(in, out []int64) {
	w := writer{out: out}
	i := int(in[0])
	w.put(squares[i&7])
	w.put(int64(sparse[i&7]) + int64(sparse[8-i&7]))
	w.put(int64(grid[uint(in[1])%3][i&3]))
	c := palette[i&1]
	w.put(int64(c.name) + int64(c.g)<<8)
	w.f64(palette[uint(i)%5].luma())
	w.bool(palette[4-i&3].bright)
	w.f32(halves[i&3] + thirds[i&1])
	w.put(int64(zeros[i&63]))
	w.put(int64(seed) >> (i & 7))
	w.bool(flags[i&3])
	w.put(int64(primes[i&7]))
	w.put(int64(len(primes) + cap(primes) + len(none) + len(points)))
	w.bool(none == nil)
	w.bool(primes != nil)
	sum := int64(0)
	for i, p := range primes {
		sum = 31*sum + int64(p)*int64(i+1)
	}
	for _, s := range squares {
		sum += s
	}
	for _, p := range points {
		sum += int64(p.x) << p.y
	}
	w.put(sum)
	all := palette // a copy, which may change
	all[i&1].r++
	w.put(int64(all[0].r) + int64(palette[0].r))
	w.bool(all == palette)
	row := grid[2]
	row[i&3] = 5
	w.put(int64(row[3] + grid[2][3]))
	most := large
	w.put(int64(most[uint(in[1])%300]))
	most[150] = int32(i)
	w.put(int64(most[150]) - int64(large[150]))
	w.put(sumOf(squares[:i&7]) + sumOf(squares[2:]))
	w.put(*nth(&squares, i&7))
	w.put(palette[1].darker())
	w.put(conditions(in[0] > 2, in[1] < 0))
	if in[2] < 0 {
		w.put(squares[in[2]])
	}
	w.put(int64(primes[i])) // fails on some inputs
}

// conditions reads tables at indices that are 0 or 1 by a condition, or by two.
func conditions(a, b bool) int64 {
	i, j := 0, 0
	if a {
		i = 1
	}
	if b {
		j = 1
	}
	sum := int64(grid[0][i]) + int64(sparse[1+i])<<8 + squares[3+j]<<24
	if flags[j] {
		sum = -sum
	}
	return sum + int64(grid[2][i&j]) + int64(grid[0][i^j]) + int64(halves[i]*4) + int64(palette[i].r)<<32
}

// darker has a pointer receiver, and writes nothing.
func (c *color) darker() int64 { return int64(c.r/2) + int64(c.b/2) }

func sumOf(s []int64) (n int64) {
	for _, x := range s {
		n += x
	}
	return n
}

func nth(t *[8]int64, i int) *int64 { return &t[i] }

var (
	crc = func() (t [256]uint32) {
		for i := range t {
			c := uint32(i)
			for range 8 {
				if c&1 != 0 {
					c = c>>1 ^ 0xedb88320
				} else {
					c >>= 1
				}
			}
			t[i] = c
		}
		return t
	}()
	roots    = makeRoots(20)
	reversed = reverseBits(crc)
	part     = []uint32{crc[1], crc[2], crc[255]}
	built    = build()

	quotient, remainder = divmod(1000003, 97)
	_, third            = divmod(int(third0), 10)
	third0              = crc[3] >> 8
	overflow            = int32(math.MaxInt32) + int32(len(part)) - 2
	conversions         = [...]int64{int64(math.Trunc(-2.75 * roots[4])), int64(int8(crc[5])), int64(float32(third0))}
)

func makeRoots(n int) (t [20]float64) {
	for i := range n {
		t[i] = math.Sqrt(float64(i)) * math.Pi
	}
	return t
}

func reverseBits(t [256]uint32) (r [256]uint16) {
	for i, x := range t {
		r[i] = uint16(bits.Reverse32(x))
	}
	return r
}

func divmod(a, b int) (q, r int) { return a / b, a % b }

// build returns a slice.
func build() []color {
	var list [3]color
	for i := range list {
		list[i] = color{name: int8(i), weight: float64(i) / 3, bright: i == 1}
		list[i].r += uint8(200 * i)
	}
	return list[1:]
}

// Computed reads variables whose values are computed.
//
//gpu:kernel
func Computed(in, out []int64) {
	w := writer{out: out}
	sum := uint32(math.MaxUint32)
	for _, x := range in {
		for k := range 8 {
			sum = crc[byte(sum)^byte(x>>(8*k))] ^ sum>>8
		}
	}
	w.put(int64(sum))
	i := uint(in[0])
	w.f64(roots[i%20])
	w.put(int64(reversed[i%256]))
	w.put(int64(part[i%3]))
	w.put(int64(quotient + remainder + third))
	w.put(int64(overflow))
	w.put(conversions[i%3])
	w.put(int64(len(built)) + int64(built[i%2].r) + int64(built[1].name))
	w.f64(built[i%2].weight)
	w.bool(built[i&1].bright)
}

// Literals has local arrays that are only read after their literal, some that are not quite, and
// copies of them.
//
//gpu:kernel
func Literals(in, out []int64) {
	w := writer{out: out}
	i := int(in[0])
	weights := [5]float64{0.5, 0.25, 3: -1}
	for k := range 3 {
		w.f64(weights[(i&1)+k])
		names := [...]string{"zero", "one", "two"}
		w.put(hash(names[(uint(i)+uint(k))%3]))
	}
	w.f64(pick(weights, i&3))
	list := []int16{100, 200, -300, 400}
	w.put(int64(list[i&3]) + int64(len(list)))
	changed := [4]int8{1, 2, 3, 4}
	w.put(int64(changed[i&3]))
	changed[i&1] = 9
	w.put(int64(changed[i&3]))
	maybe := [4]int8{5, 6, 7, 8}
	if in[1] > 4 {
		maybe[2] = 0
	}
	w.put(int64(maybe[i&3]))
	copied := weights
	same := copied == weights
	w.bool(same)
	var filled [16]uint8
	for k := range filled {
		filled[k] = uint8(k * k)
	}
	w.put(int64(filled[i&15]))
	tree := [3]struct {
		left, right int
		leaf        [2]int32
	}{{1, 2, [2]int32{3, 4}}, {leaf: [2]int32{5, 6}}, {7, 8, [2]int32{}}}
	node := tree[uint(in[1])%3]
	w.put(int64(node.left) + int64(node.leaf[i&1]))
	part := weights[i&3:]
	w.f64(part[0])
	p := &list[1]
	if in[1] > 4 {
		p = &list[2]
	}
	w.put(int64(*p))
	w.put(int64(table(i&7, 3)))
	for _, x := range [...]int64{7, 11, 13} {
		for _, y := range squares {
			w.put(x * y)
		}
	}
	w.f64(weights[i]) // fails on some inputs
}

func pick(w [5]float64, i int) float64 { return w[i] + w[i+1] }

func table(i, n int) int32 {
	t := [8]int32{1, 1, 2, 3, 5, 8, 13, 21}
	sum := int32(0)
	for range n {
		sum += t[i]
	}
	return sum
}
