package mufu_test

import (
	"flag"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gridstride/gridstride/internal/math/mufu"
)

var all = flag.Bool("all", false, "evaluate each instruction for all 2^32 arguments, which takes a minute or two each")

// measured is an instruction's results on an H200 (driver 580.159, CUDA 13.0, 2026-11-23): the sums
// of the hashes of its results for all arguments, for all whose upper 9 bits are binade, if that is
// not 0, and for 16 samples of each such binade. Of a float64 it is the upper half.
type measured struct {
	name                 string
	f                    func(bits uint32) uint32
	binade               uint32
	all, ofOne, ofSample uint64
}

var instructions = []measured{
	{"ex2.approx.f32", f32("ex2", false), 0, 0x4c45b03f3d023748, 0, 0xf70ba4d13e8d4d38},
	{"ex2.approx.ftz.f32", f32("ex2", true), 0x17f, 0x2a57ff826f110821, 0xf989929e8d341c15, 0x11a1acbb5fc581ac},
	{"lg2.approx.f32", f32("lg2", false), 0, 0xcc83f9c468dc9cb8, 0, 0xa190ba7bdd39a442},
	{"lg2.approx.ftz.f32", f32("lg2", true), 0x80, 0xcd13251b9cb415db, 0x26d1ee8dee91b0f7, 0x1492dbc3bd9c61f5},
	{"sin.approx.f32", f32("sin", false), 0, 0x4798e9bee619300a, 0, 0x9e22258a14b66320},
	{"sin.approx.ftz.f32", f32("sin", true), 0x17f, 0x4798e9bee619300a, 0x7cbe840ebbcb9ba1, 0x9e22258a14b66320},
	{"cos.approx.f32", f32("cos", false), 0, 0xb50c6ef420b1243c, 0, 0x8f469fbf715a5768},
	{"cos.approx.ftz.f32", f32("cos", true), 0, 0xb50c6ef420b1243c, 0, 0x8f469fbf715a5768},
	{"tanh.approx.f32", f32("tanh", false), 0x7e, 0xc7ee44d3b0c46ece, 0x1941e63f7427b0ed, 0x93a865f8f6cf6bf2},
	{"rsqrt.approx.f32", f32("rsqrt", false), 0, 0xef6cd62c2b31d74d, 0, 0xf82b897c35a74574},
	{"rsqrt.approx.ftz.f32", f32("rsqrt", true), 0x7f, 0xd74c5d2cdf04a5cd, 0xcb71319c80011e31, 0x46a1642959153062},
	{"rcp.approx.f32", f32("rcp", false), 0, 0x3ed3e5afc31186ee, 0, 0x6105c45f9d0ad4be},
	{"rcp.approx.ftz.f32", f32("rcp", true), 0x7f, 0x1c78472e399b4d10, 0xb21aea5cfa1e421a, 0x7d9e6212ce0b80e7},
	{"sqrt.approx.f32", f32("sqrt", false), 0, 0x4a041c4267bb1550, 0, 0x519d6dfa219989e2},
	{"sqrt.approx.ftz.f32", f32("sqrt", true), 0x7f, 0x0fcf47ec1c0722e8, 0xb7e8c1a5e94ef7da, 0xf8f3c95d7ff4ba06},
	{"rcp.approx.ftz.f64", mufu.RCP64H, 0x7f, 0x651733fd9d67a3e1, 0x3bf8b4fbb84a2147, 0xea1f8a00e3aaa41d},
	{"rsqrt.approx.ftz.f64", mufu.RSQ64H, 0x7f, 0xcb89eab6d9d876cb, 0xaf123a5b3457e588, 0xbb36470e857cb520},
}

// f32 is an instruction of float32 in bits.
func f32(name string, ftz bool) func(bits uint32) uint32 {
	f := mufu.Instruction(name, ftz)
	return func(bits uint32) uint32 { return math.Float32bits(f(math.Float32frombits(bits))) }
}

// TestH200 holds each instruction to what an H200 gives: for the samples and one binade, and with
// -all for all arguments.
func TestH200(t *testing.T) {
	t.Parallel()
	for _, in := range instructions {
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			sum := uint64(0)
			for binade := range uint32(1 << 9) {
				for n := range uint32(16) {
					sum += in.hash(binade<<23 | sample(n))
				}
			}
			if sum != in.ofSample {
				t.Errorf("the samples have %#x, an H200's %#x", sum, in.ofSample)
			}
			if in.binade != 0 {
				if sum := in.sum(in.binade); sum != in.ofOne {
					t.Errorf("binade %#x has %#x, an H200's %#x", in.binade, sum, in.ofOne)
				}
			}
			if sum := in.sumAll(); sum != in.all {
				t.Errorf("all arguments have %#x, an H200's %#x", sum, in.all)
			}
		})
	}
}

// hash mixes an argument and its result (Steele, Lea and Flood, Fast splittable pseudorandom number
// generators, 2014).
func (in *measured) hash(x uint32) uint64 { return mix(uint64(x)<<32 | uint64(in.f(x))) }

func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// sample is the lower bits of a sample: those near the ends and the middle, and others.
func sample(n uint32) uint32 {
	near := [...]uint32{0, 1, 2, 3, 1<<23 - 1, 1<<23 - 2, 1 << 22, 1<<22 - 1}
	if n < uint32(len(near)) {
		return near[n]
	}
	return uint32(mix(uint64(n))) & (1<<23 - 1)
}

// sum is the sum over all arguments of a binade.
func (in *measured) sum(binade uint32) (sum uint64) {
	for x := range uint32(1 << 23) {
		sum += in.hash(binade<<23 | x)
	}
	return sum
}

// sumAll is the sum over all arguments, computed with -all only.
func (in *measured) sumAll() uint64 {
	if !*all {
		return in.all
	}
	var sum, next atomic.Uint64
	var wait sync.WaitGroup
	for range runtime.NumCPU() {
		wait.Go(func() {
			for binade := next.Add(1) - 1; binade < 1<<9; binade = next.Add(1) - 1 {
				sum.Add(in.sum(uint32(binade)))
			}
		})
	}
	wait.Wait()
	return sum.Load()
}
