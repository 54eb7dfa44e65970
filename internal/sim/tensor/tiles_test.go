package tensor

import (
	"cmp"
	"encoding/binary"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

var tilesDir = flag.String("tiles", "", "compare with all the results of a GPU in this `folder`, as testdata/h200 has some")

// TestTiles compares products of random tiles with those of an H200. A file has the elements of D
// of tiles 0, 1, …, a word each; A, B and C are those of element.
func TestTiles(t *testing.T) {
	t.Parallel()
	dir := *tilesDir
	if dir == "" {
		dir = "testdata/h200"
	}
	for i, p := range products {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join(dir, p.name+".bin"))
			if errors.Is(err, fs.ErrNotExist) && *tilesDir != "" {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			p.number, p.m, p.n = i, cmp.Or(p.m, 16), cmp.Or(p.n, 8)
			size := 4 * p.m * p.n
			tiles := len(data) / size
			if tiles == 0 {
				t.Fatal("no tiles")
			}
			var bad atomic.Int64
			var all sync.WaitGroup
			const share = 1 << 12 // tiles
			for first := 0; first < tiles; first += share {
				all.Go(func() {
					for tile := first; tile < min(first+share, tiles); tile++ {
						bad.Add(int64(p.compare(t, uint64(tile), data[tile*size:][:size], int(3-bad.Load()))))
					}
				})
			}
			all.Wait()
			if bad.Load() > 0 {
				t.Errorf("%d of %d elements differ", bad.Load(), len(data)/4)
			}
			t.Logf("%d tiles", tiles)
		})
	}
}

// product is an instruction whose results are known. mma multiplies 16 by k and k by 8 elements;
// wgmma does so four times, with one B.
type product struct {
	name    string
	in      Instruction
	a, b, c *Format
	d       *Format // of the result, where it is not c
	k       int
	m, n    int // rows and columns of a tile: 16 and 8 where they are none
	number  int // among the products: the numbers depend on it
}

// products are in the order in which the GPU ran them. Numbers 10 and 11 were of integers. 18 would be
// mma of E5M2 by E4M3 and 32 columns of A, which was measured with 16, and with sums of float16.
var products = map[int]product{
	0:  {name: "f16", a: F16, b: F16, c: F32, k: 16},
	1:  {name: "bf16", a: BF16, b: BF16, c: F32, k: 16},
	2:  {name: "f16k8", a: F16, b: F16, c: F32, k: 8},
	3:  {name: "bf16k8", a: BF16, b: BF16, c: F32, k: 8},
	4:  {name: "f16f16", a: F16, b: F16, c: F16, k: 16},
	5:  {name: "tf32", a: TF32, b: TF32, c: F32, k: 8},
	6:  {name: "tf32k4", a: TF32, b: TF32, c: F32, k: 4},
	7:  {name: "e4e4", a: E4M3, b: E4M3, c: F32, k: 32},
	8:  {name: "e5e5", a: E5M2, b: E5M2, c: F32, k: 32},
	9:  {name: "e4e5", a: E4M3, b: E5M2, c: F32, k: 32},
	12: {name: "w_f16", in: WGMMA, a: F16, b: F16, c: F32, k: 16},
	13: {name: "w_bf16", in: WGMMA, a: BF16, b: BF16, c: F32, k: 16},
	14: {name: "w_tf32", in: WGMMA, a: TF32, b: TF32, c: F32, k: 8},
	15: {name: "w_e4e4", in: WGMMA, a: E4M3, b: E4M3, c: F32, k: 32},
	16: {name: "w_e5e5", in: WGMMA, a: E5M2, b: E5M2, c: F32, k: 32},
	17: {name: "w_e5e4", in: WGMMA, a: E5M2, b: E4M3, c: F32, k: 32},
	19: {name: "w_e4e5", in: WGMMA, a: E4M3, b: E5M2, c: F32, k: 32},
	20: {name: "w_f16f16", in: WGMMA, a: F16, b: F16, c: F16, k: 16},
	21: {name: "w_e4e4f16", in: WGMMA, a: E4M3, b: E4M3, c: F16, k: 32},
	22: {name: "w_e5e5f16", in: WGMMA, a: E5M2, b: E5M2, c: F16, k: 32},
	23: {name: "w_e4e5f16", in: WGMMA, a: E4M3, b: E5M2, c: F16, k: 32},
	24: {name: "w_e5e4f16", in: WGMMA, a: E5M2, b: E4M3, c: F16, k: 32},
	25: {name: "e4e4f16", a: E4M3, b: E4M3, c: F16, k: 32},
	26: {name: "e5e5f16", a: E5M2, b: E5M2, c: F16, k: 32},
	27: {name: "e4e5f16", a: E4M3, b: E5M2, c: F16, k: 32},
	28: {name: "e5e4f16", a: E5M2, b: E4M3, c: F16, k: 32},
	29: {name: "f16k8f16", a: F16, b: F16, c: F16, k: 8},
	30: {in: WMMA, name: "v_f16", a: F16, b: F16, c: F32, k: 16, m: 16, n: 16},
	31: {in: WMMA, name: "v_f16m32", a: F16, b: F16, c: F32, k: 16, m: 32, n: 8},
	32: {in: WMMA, name: "v_f16m8", a: F16, b: F16, c: F32, k: 16, m: 8, n: 32},
	33: {in: WMMA, name: "v_f16f16", a: F16, b: F16, c: F16, k: 16, m: 16, n: 16},
	34: {in: WMMA, name: "v_f16c16", a: F16, b: F16, c: F16, d: F32, k: 16, m: 16, n: 16},
	35: {in: WMMA, name: "v_f16d16", a: F16, b: F16, c: F32, d: F16, k: 16, m: 16, n: 16},
	36: {in: WMMA, name: "v_bf16", a: BF16, b: BF16, c: F32, k: 16, m: 16, n: 16},
	37: {in: WMMA, name: "v_bf16m32", a: BF16, b: BF16, c: F32, k: 16, m: 32, n: 8},
	38: {in: WMMA, name: "v_bf16m8", a: BF16, b: BF16, c: F32, k: 16, m: 8, n: 32},
	39: {in: WMMA, name: "v_tf32", a: TF32, b: TF32, c: F32, k: 8, m: 16, n: 16},
	45: {name: "e4e4k16", a: E4M3, b: E4M3, c: F32, k: 16},
	46: {name: "e5e4k16", a: E5M2, b: E4M3, c: F32, k: 16},
}

// compare is the number of elements of a tile that differ. It reports so many.
func (p *product) compare(t *testing.T, tile uint64, data []byte, report int) (bad int) {
	u := UnitBetween(p.in, 90, p.a, p.b, p.c, cmp.Or(p.d, p.c), p.k)
	of := func(matrix int, tile uint64, row int, f *Format) []uint32 {
		x := make([]uint32, p.k)
		for k := range x {
			x[k] = p.element(tile, matrix, row*p.k+k, k, f)
		}
		return x
	}
	first := tile
	if p.in == WGMMA {
		first &^= 3
	}
	columns := make([]Factors, p.n)
	for n := range columns {
		columns[n] = u.Column(of(1, first, n, p.b))
	}
	for m := range p.m {
		row := u.Row(of(0, tile, m, p.a))
		for n := range p.n {
			e := m*p.n + n
			c := p.element(tile, 2, e, 0, p.c)
			want := binary.LittleEndian.Uint32(data[e*4:])
			if got := u.Sum(&row, &columns[n], c); got != want {
				if bad++; bad <= report {
					t.Errorf("tile %d, element %d: %08x, want %08x: %x * %x + %08x", tile, e, got, want,
						of(0, tile, m, p.a), of(1, first, n, p.b), c)
				}
			}
		}
	}
	return bad
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// element is element idx of A (0), B (1) or C (2), in column or row k. The tile's number modulo 8
// says what the numbers are like: any bits; near 1; any but infinities and NaN; half of them zeros;
// subnormal; products that cancel in pairs; of wide exponents; C far from the products.
func (p *product) element(tile uint64, matrix, idx, k int, f *Format) uint32 {
	mode := int(tile & 7)
	src, odd := idx, false
	if mode == 5 && matrix < 2 {
		if odd = k&1 == 1; odd {
			src = idx - 1
		}
	}
	h := mix(mix(uint64(p.number)*1000003+tile*4+uint64(matrix)) + uint64(src))
	sign, man, r := uint32(h)&1, uint32(h>>1)&(1<<f.mantissa-1), uint32(h>>32)
	bias, top := 1<<(f.exponent-1)-1, 1<<f.exponent-1
	maxe := top
	if f.infinity {
		maxe--
	}
	var e int
	switch mode {
	case 0:
		e = int(r) & top
		if matrix < 2 && r>>20&7 != 0 && e == top && f.infinity {
			e = bias
		}
	case 1:
		e = bias - 2 + int(r%5)
	case 2:
		e = int(r % uint32(maxe+1))
	case 3:
		e = int(r % uint32(maxe+1))
		if r>>16&1 != 0 {
			e, man = 0, 0
		}
	case 4:
		e = int(r & 1)
		if matrix == 2 {
			e = int(r % 30)
		}
		e = min(e, maxe)
	case 5:
		e = bias - 1 + int(r%3)
		if matrix == 2 {
			e = max(0, bias-int(r%24))
		}
	case 6:
		e = min(maxe, max(0, bias-6+int(r%13)))
	default:
		e = bias - 2 + int(r%5)
		if matrix == 2 {
			e = min(maxe, max(0, bias-30+int(r%61)))
		}
	}
	e = min(top, max(0, e))
	if !f.infinity && mode != 0 && e == top && man == 1<<f.mantissa-1 {
		man = 0
	}
	v := sign<<(f.exponent+f.mantissa) | uint32(e)<<f.mantissa | man
	if odd && matrix == 1 {
		v ^= 1 << (f.exponent + f.mantissa)
	}
	if f.unused > 0 {
		v = v<<f.unused | uint32(h>>40)&(1<<f.unused-1)
	}
	return v
}
