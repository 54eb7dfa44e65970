package tiles

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/tensor"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Product is an instruction that multiplies matrices: mma, wmma.mma with all layouts of A and B, or
// wgmma.mma_async with A in shared memory and in registers.
type Product struct {
	Name      string // in the measurement: the opcode without layouts, for wgmma also without columns
	op        string
	opcodes   []ptx.Modifiers // of wmma one for each layout, of wgmma one for each of columns
	a, b      ptx.Type
	c, d      ptx.Type
	m, n, k   int
	rnd       string // of float64
	saturates bool
}

// columns are the numbers of B's columns that the tests run wgmma with.
var columns = []int{8, 24, 128, 256}

// Products are all that the instruction table has.
func Products() []*Product {
	var list []*Product
	known := map[string]*Product{}
	for _, op := range []string{"mma", "wmma", "wgmma"} {
		for _, mods := range ptx.Opcodes(op) {
			if mods.Mod("shape") == "" || mods.Has("load") || mods.Has("store") {
				continue // wgmma.fence and its like
			}
			p := productOf(op, mods)
			if known[p.Name] == nil {
				known[p.Name] = p
				list = append(list, p)
			}
			same := func(m ptx.Modifiers) bool { return m.String() == mods.String() }
			if (op != "wgmma" || slices.Contains(columns, p.n)) && !slices.ContainsFunc(known[p.Name].opcodes, same) {
				known[p.Name].opcodes = append(known[p.Name].opcodes, mods)
			}
		}
	}
	return list
}

func productOf(op string, mods ptx.Modifiers) *Product {
	p := &Product{op: op, d: ptx.Type(mods.Mod("T")), rnd: mods.Mod("rnd"), saturates: mods.Has("satfinite")}
	p.a = cmp.Or(ptx.Type(mods.Mod("U")), ptx.F16)
	p.b = cmp.Or(ptx.Type(mods.Mod("btype")), p.a)
	p.c = cmp.Or(ptx.Type(mods.Mod("ctype")), p.d)
	if _, err := fmt.Sscanf(mods.Mod("shape"), "m%dn%dk%d", &p.m, &p.n, &p.k); err != nil {
		panic("BUG: a product has the shape " + mods.Mod("shape"))
	}
	name := []string{op}
	for _, m := range mods {
		switch {
		case m.Group == "shape" && op == "wgmma":
			name = append(name, fmt.Sprintf("m64k%d", p.k))
		case !slices.Contains([]string{"mma", "mma_async", "sync", "aligned", "row", "col", "alayout", "blayout"}, m.Group):
			name = append(name, m.Value)
		}
	}
	p.Name = strings.Join(name, ".")
	return p
}

// run is one run of a product: some number of products of matrices in one launch.
type run struct {
	*Product
	n        int    // columns of B
	module   string // PTX
	products int
}

// runs are the runs that make at least that number of tiles together. A tile of mma and wmma is a
// product. A tile of wgmma has 16 rows and 8 columns of a product.
func (p *Product) runs(tiles int) []run {
	if p.op != "wgmma" {
		return []run{{p, p.n, p.text(p.opcodes), tiles}}
	}
	var list []run
	for _, mods := range p.opcodes {
		n := productOf(p.op, mods).n
		each := 4 * n / 8
		list = append(list, run{p, n, p.warpgroupText(n, mods), max(tensor.Kinds, (tiles/len(p.opcodes)+each-1)/each)})
	}
	return list
}

// tiles is how many tiles the run has.
func (r *run) tiles() int {
	if r.op == "wgmma" {
		return r.products * 4 * r.n / 8
	}
	return r.products
}

// seed is the seed of the product's tiles.
func (p *Product) seed() tensor.Random {
	seed := uint64(0xcbf29ce484222325) // FNV-1a
	for _, c := range []byte(p.Name) {
		seed = (seed ^ uint64(c)) * 0x100000001b3
	}
	return tensor.Random(seed)
}

func formatOf(t ptx.Type) tensor.Format { return tensor.FormatOf(string(t)) }

// matrix is one of the run's, by rows of A and C and columns of B, or transposed.
func (r *run) matrix(number int, transposed bool) Matrix {
	t := []ptx.Type{r.a, r.b, r.c}[number]
	m := Matrix{Seed: r.seed(), Number: number, Format: formatOf(t), Bits: t.Bits(), Transposed: transposed}
	switch {
	case t == ptx.F64:
		m.Kind = Double
	case m.Format == 0:
		m.Kind = Integer
	}
	m.Lines, m.Length = []int{r.m, r.n, r.m}[number], []int{r.k, r.k, r.n}[number]
	if transposed {
		m.Lines, m.Length = m.Length, m.Lines
	}
	m.Lead = lead(m.Length, m.Bits)
	return m
}

// lead is how many elements a line takes in memory: at least 16 bytes.
func lead(length, bits int) int { return max(length, 128/bits) }

// sums is how the elements of D are made.
func (r *run) sums() Sums {
	s := Sums{M: r.m, N: r.n, K: r.k, BitsA: r.a.Bits(), BitsB: r.b.Bits(), BitsC: r.c.Bits(), BitsD: r.d.Bits()}
	s.LeadA, s.LeadB = lead(r.k, s.BitsA), lead(r.k, s.BitsB)
	s.LeadC, s.LeadD = lead(r.n, s.BitsC), lead(r.n, s.BitsD)
	if r.op == "wmma" {
		s.LeadE = lead(r.m, s.BitsD)
	}
	if r.d == ptx.S32 {
		s.Integers = tensor.Integers{SignedA: r.a.Signed(), SignedB: r.b.Signed(), Saturates: r.saturates}
		return s
	}
	by := map[string]tensor.Instruction{"mma": tensor.MMA, "wmma": tensor.WMMA, "wgmma": tensor.WGMMA}[r.op]
	s.Floats = true
	s.Unit = *tensor.UnitBetween(by, 90, formatOf(r.a), formatOf(r.b), formatOf(r.c), formatOf(r.d), r.k)
	return s
}
