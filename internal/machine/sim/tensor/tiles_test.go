package tensor

import (
	"cmp"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// TestTiles compares products of random tiles with an H200's. A file has the elements of D of tiles
// 0, 1, …, a word each. A, B and C are made by Random.
func TestTiles(t *testing.T) {
	t.Parallel()
	for i, p := range products {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", "h200", p.name+".bin"))
			if err != nil {
				t.Fatal(err)
			}
			p.number, p.m, p.n = i, cmp.Or(p.m, 16), cmp.Or(p.n, 8)
			size, bad := 4*p.m*p.n, 0
			for tile := range len(data) / size {
				bad += p.compare(t, uint64(tile), data[tile*size:][:size], 3-bad)
			}
			if bad > 0 || len(data) < size {
				t.Errorf("%d of %d elements differ", bad, len(data)/4)
			}
		})
	}
}

// product is an instruction whose results are known. mma multiplies 16 by k and k by 8 elements.
// wgmma does so four times, with one B.
type product struct {
	name    string
	in      Instruction
	a, b, c Format
	d       Format // the format of the result, if it is not c
	k       int
	m, n    int // rows and columns of a tile; 0 for 16 and 8
	number  int // among the products: the numbers depend on it
}

// products are in the order in which the GPU ran them. Numbers 10 and 11 were of integers. 18 would
// be mma of E5M2 by E4M3 and 32 columns of A, which was measured with 16, and with sums of float16.
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

// seed is the seed of the numbers of the product's tiles.
func (p *product) seed() Random { return Random(p.number) * 1000003 }

// compare returns the number of elements of a tile that differ. It reports at most report of them.
func (p *product) compare(t *testing.T, tile uint64, data []byte, report int) (bad int) {
	u := UnitBetween(p.in, 90, p.a, p.b, p.c, cmp.Or(p.d, p.c), p.k)
	of := func(matrix int, tile uint64, row int, f Format) []uint32 {
		x := make([]uint32, p.k)
		for k := range x {
			x[k] = p.seed().Element(tile, matrix, row*p.k+k, k, f)
		}
		return x
	}
	first := tile
	if p.in == WGMMA {
		first &^= 3
	}
	columns := make([]Factors, p.n)
	for n := range columns {
		u.Column(of(MatrixB, first, n, p.b), &columns[n])
	}
	for m := range p.m {
		var row Factors
		u.Row(of(MatrixA, tile, m, p.a), &row)
		for n := range p.n {
			e := m*p.n + n
			c := p.seed().Element(tile, MatrixC, e, 0, p.c)
			want := binary.LittleEndian.Uint32(data[e*4:])
			if got := u.Sum(&row, &columns[n], c); got != want {
				if bad++; bad <= report {
					t.Errorf("tile %d, element %d: %08x, want %08x: %x * %x + %08x", tile, e, got, want,
						of(MatrixA, tile, m, p.a), of(MatrixB, first, n, p.b), c)
				}
			}
		}
	}
	return bad
}
