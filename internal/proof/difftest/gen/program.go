package gen

import (
	"fmt"
	"slices"
	"strings"
)

// program writes the whole file: types, functions, the kernel, and before them the line that says
// how it is launched.
func (g *gen) program(seed uint64) string {
	g.scalars = scalars
	g.namedTypes()
	g.compositeTypes()
	g.packageVariables()
	g.functions()
	launch := g.kernel()
	for _, h := range helpers {
		if g.helpers[h.name] {
			g.lines = append(g.lines, "")
			g.lines = append(g.lines, strings.Split(h.text, "\n")...)
		}
	}
	return fmt.Sprintf(header, launch, seed) + strings.Join(g.lines, "\n") + "\n"
}

// header imports everything that a program may use. The constant uses what it does not.
const header = `//difftest:launch %s seed=%d
package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]
`

func (g *gen) namedTypes() {
	for range g.weighted(60, 25, 15) {
		base := pick(g, scalars...)
		t := named(g.name("n")+"ø", base)
		g.emit("")
		g.emit("type %s %s", t.name, base.name)
		g.scalars = append(g.scalars[:len(g.scalars):len(g.scalars)], t)
	}
}

// compositeTypes declares structs, with arrays and structs in them, and picks array types.
func (g *gen) compositeTypes() {
	g.cur = &body{}
	if g.chance(20) {
		g.composites = append(g.composites, pick(g, vectors...))
	}
	if g.chance(25) {
		g.chooseShorts()
	}
	if g.chance(15) {
		g.genericStruct()
	}
	if g.chance(15) {
		g.composites = append(g.composites, pick(g, tComplex64, tComplex128))
	}
	if g.chance(25) {
		g.viewStruct()
	}
	for range g.weighted(10, 30, 30, 20, 10) {
		if g.chance(45) {
			t := arrayOf(g.arrayLen(), g.part())
			if t.elem.scalar() && g.chance(10) {
				t = arrayOf(pick(g, 16, 20, 33), t.elem) // may stay in local memory
			}
			if g.chance(25) {
				plain := t.name
				t.name = g.name("m") + "ø"
				g.emit("")
				g.emit("type %s %s", t.name, plain)
			}
			g.composites = append(g.composites, t)
			continue
		}
		t := &typ{kind: kStruct, name: g.name("s") + "ø"}
		t.base = t
		for i := range 1 + g.weighted(15, 35, 30, 20) {
			f := field{name: g.name(string(rune('a' + i))), t: g.part()}
			if f.t.kind == kStruct && strings.HasSuffix(f.t.name, "ø") && !t.embeds(f.t) && g.chance(40) {
				f.name, f.embedded = f.t.name, true
			}
			t.fields = append(t.fields, f)
		}
		g.emit("")
		g.lines = append(g.lines, strings.Split(structDecl(t), "\n")...)
		g.composites = append(g.composites, t)
	}
	g.cur = nil
}

// vectors are the vector types of package gpu.
var vectors = []*typ{
	vector("gpu.Float32x2", tFloat32, 2), vector("gpu.Float32x4", tFloat32, 4), vector("gpu.Float64x2", tFloat64, 2),
	vector("gpu.Int32x2", tInt32, 2), vector("gpu.Int32x4", tInt32, 4), vector("gpu.Uint32x2", tUint32, 2),
	vector("gpu.Uint32x4", tUint32, 4), vector("gpu.Int64x2", tInt64, 2), tUint64x2,
}

func vector(name string, elem *typ, n int) *typ {
	t := &typ{kind: kStruct, name: name}
	t.base = t
	for i := range n {
		t.fields = append(t.fields, field{name: "XYZW"[i : i+1], t: elem})
	}
	return t
}

// genericStruct declares a generic struct type and makes one or two instances of it.
func (g *gen) genericStruct() {
	name, n := g.name("g")+"ø", 1+g.r.IntN(3)
	g.emit("")
	g.emit("type %s[T any] struct {", name)
	g.emit("\ta T")
	g.emit("\tb [%d]T", n)
	g.emit("\tc int")
	g.emit("}")
	g.emit("")
	g.emit("func (r %s[T]) at(i int) T { return r.b[uint(i)%%%d] }", name, n)
	g.emit("")
	g.emit("func (r *%s[T]) set(i int, x T) int {", name)
	g.emit("\tr.a, r.b[uint(i)%%%d] = r.b[uint(i)%%%d], x", n, n)
	g.emit("\tr.c++")
	g.emit("\treturn r.c")
	g.emit("}")
	for range 1 + g.r.IntN(2) {
		arg := g.scalarType()
		t := &typ{kind: kStruct, name: fmt.Sprintf("%s[%s]", name, arg.name)}
		t.base = t
		t.fields = []field{{name: "a", t: arg}, {name: "b", t: arrayOf(n, arg)}, {name: "c", t: tInt}}
		g.composites = append(g.composites, t)
		recv := &variable{name: "r", t: t, param: true}
		i := &variable{name: "i", t: tInt, param: true}
		g.funcs = append(g.funcs, &function{name: "at", method: true, pure: true, params: []*variable{recv, i}, results: []*typ{arg}, cost: 1, size: 1})
		set := &variable{name: "r", t: pointerTo(t), param: true}
		x := &variable{name: "x", t: arg, param: true}
		g.funcs = append(g.funcs, &function{name: "set", method: true, params: []*variable{set, i, x}, results: []*typ{tInt}, cost: 2, size: 2})
	}
}

// viewStruct declares a struct that holds a slice and a pointer.
func (g *gen) viewStruct() {
	s, p := sliceOf(g.scalarType()), pointerTo(g.scalarType())
	g.view = &typ{kind: kStruct, name: g.name("w") + "ø", holds: true, fields: []field{{name: "s", t: s}, {name: "p", t: p}, {name: "n", t: tInt}}}
	g.view.base = g.view
	g.emit("")
	g.lines = append(g.lines, strings.Split(structDecl(g.view), "\n")...)
}

// embeds reports whether a field of t has the same type already: two of the same would make their
// fields ambiguous.
func (t *typ) embeds(u *typ) bool {
	for _, f := range t.fields {
		if f.t.reaches(u) || u.reaches(f.t) {
			return true
		}
	}
	return false
}

// part is the type of a field or an element. Composite values stay below about 40 scalars.
func (g *gen) part() *typ {
	if len(g.composites) > 0 && g.chance(25) {
		if t := pick(g, g.composites...); t.leaves() <= 10 {
			return t
		}
	}
	return g.scalarType()
}

func (g *gen) arrayLen() int { return pick(g, 1, 2, 2, 3, 4, 4, 4, 5, 7, 8) }

// shape is the grid and the block of a launch, and the number of threads in all.
type shape struct {
	grid, block [3]int
	threads     int
}

func (g *gen) shape() shape {
	s := shape{grid: [3]int{1, 1, 1}, block: [3]int{pick(g, 1, 2, 31, 32, 33, 40, 64, 65), 1, 1}}
	if g.meet {
		s.block[0] = pick(g, 32, 32, 64, 96)
	}
	g.threads = s.block[0]
	if g.chance(20) && !g.cur.loop {
		s.block = pick(g, [3]int{8, 4, 1}, [3]int{16, 2, 2}, [3]int{1, 32, 1}, [3]int{4, 4, 4})
		if !g.meet && g.chance(50) {
			s.block = pick(g, [3]int{3, 5, 1}, [3]int{7, 1, 3}, [3]int{2, 3, 7})
		}
		s.grid = pick(g, [3]int{1, 1, 1}, [3]int{1, 2, 1}, [3]int{1, 1, 2}, [3]int{2, 1, 1})
		g.threads = s.block[0] * s.block[1] * s.block[2]
	} else if n := 70 / g.threads; n > 0 {
		s.grid[0] = 1 + g.r.IntN(min(n, 3))
	}
	if g.grid {
		s.grid[0] = 1 + g.r.IntN(4)
	}
	if g.cluster > 0 {
		s.grid[0] = g.cluster * (1 + g.r.IntN(2))
	}
	s.threads = g.threads * s.grid[0] * s.grid[1] * s.grid[2]
	return s
}

// dims prints a size as the directive and the launch line have it.
func dims(d [3]int) string {
	switch {
	case d[2] > 1:
		return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2])
	case d[1] > 1:
		return fmt.Sprintf("%dx%d", d[0], d[1])
	}
	return fmt.Sprint(d[0])
}

// kernel writes Kø and returns the launch: grid, block and the length of each slice.
func (g *gen) kernel() string {
	f := &function{name: "Kø", pure: false}
	g.cur = &body{fn: f, trips: 1, budget: 8 + g.r.IntN(22), kernel: true, loop: g.chance(20)}
	g.meet = !g.cur.loop && g.chance(20)
	g.noFail, g.cur.uniform = g.meet, g.meet
	g.grid = g.meet && g.chance(35)
	if g.chance(25) || g.meet && g.chance(25) {
		g.target = pick(g, "sm_80", "sm_90")
	}
	if g.mayCluster() && g.chance(50) {
		g.cluster = pick(g, 2, 2, 3, 4)
	}
	g.cur.whole, g.cur.clustered = g.grid, g.cluster > 0
	s := g.shape()
	launch := fmt.Sprintf("grid=%s block=%s", dims(s.grid), dims(s.block))
	directive := "//gpu:kernel"
	if g.chance(15) {
		g.cur.tparam = (&function{generic: pick(g, integers, floats)}).typeParam()
		f.generic = []*typ{g.instanceOf(g.cur.tparam)}
		directive += " T=" + f.generic[0].name
	}
	if g.chance(20) {
		directive += " block=" + dims(s.block)
	}
	if g.target != "" {
		directive += " target=" + g.target
	}
	if g.cluster > 0 {
		directive += fmt.Sprintf(" cluster=%d", g.cluster)
	}
	start := len(g.lines)
	g.emit("")
	g.emit("%s", directive)
	if g.meet && g.chance(30) { // nothing can fail
		g.emit("//gpu:nobounds")
	}
	g.indent++ // parameters are declared before the header is written
	at := len(g.lines)
	g.push()
	var par *parStruct
	if g.chance(25) {
		par = &parStruct{first: g.chance(50), generic: f.generic != nil}
	}
	params, lens := g.kernelParams(s.threads, par)
	g.indent--
	head := fmt.Sprintf("func Kø%s%s {", g.typeParams(f), signature(par.signature(params), nil))
	g.lines = append(g.lines[:at], head)
	g.lines = slices.Insert(g.lines, start, par.decl()...)
	g.kernelBody(params, s)
	g.emit("}")
	g.cur = nil
	return launch + lens
}

func (g *gen) instanceOf(t *typ) *typ {
	if t.kind == kFloat {
		return pick(g, floats...)
	}
	return pick(g, integers...)
}

func (g *gen) typeParams(f *function) string {
	if f.generic == nil {
		return ""
	}
	var names []string
	list := integers
	if f.generic[0].kind == kFloat {
		list = floats
	}
	for _, t := range list {
		names = append(names, t.name)
	}
	return fmt.Sprintf("[T %s]", strings.Join(names, " | "))
}

// kernelParams makes up the parameters: slices to read, values, slices to write (a thread owns a
// few of their elements), and last chk, where a thread that gets to its end leaves a checksum of
// its variables.
func (g *gen) kernelParams(threads int, par *parStruct) (params []*variable, lens string) {
	add := func(name string, t *typ) *variable {
		v := g.declare(g.paramName(par, name, t), t)
		v.param = true
		params = append(params, v)
		return v
	}
	for i := range 1 + g.weighted(20, 40, 30, 10) {
		v := add(fmt.Sprintf("in%d", i), sliceOf(g.anyType()))
		v.frozen = true
		n := pick(g, 1, 2, 4, 7, 16, 33, 64, 100)
		v.minLen = n
		if g.chance(6) {
			n, v.minLen = g.r.IntN(5), 0
		}
		lens += fmt.Sprintf(" %s=%d", partName(v), n)
	}
	for i := range g.weighted(15, 35, 35, 15) {
		add(fmt.Sprintf("a%d", i), g.anyType())
	}
	for i := range 1 + g.weighted(50, 40, 10) {
		t := g.anyType()
		if g.hasCAS128() && g.chance(20) {
			t = tUint64x2
		}
		v := add(fmt.Sprintf("out%d", i), sliceOf(t))
		v.minLen = pick(g, 1, 2, 3, 4, 4, 8)
		v.base = fmt.Sprintf("tid*%d", v.minLen)
		lens += fmt.Sprintf(" %s=%d", partName(v), v.minLen*threads)
		if i == 0 && v.name == "out0" && g.chance(15) {
			w := g.declare("alias", v.t)
			w.param, w.minLen, w.base = true, v.minLen, v.base
			params = append(params, w)
			lens += " alias=" + v.name
		}
	}
	if g.chance(20) && !g.cur.loop {
		v := add("acc", sliceOf(pick(g, tInt32, tUint32, tInt64, tUint64, tInt, tUint)))
		v.hidden = true
		g.cur.atomics = v
		lens += " " + partName(v) + "=8"
	}
	if g.hasCAS128() && !g.cur.loop && g.chance(30) {
		v := add("pairs", sliceOf(tUint64x2))
		v.hidden = true
		g.cur.pairs = v
		lens += " " + partName(v) + "=2"
	}
	if g.grid {
		v := add("hand", sliceOf(g.exchanged()))
		v.hidden, v.minLen = true, threads
		g.cur.hand = v
		lens += fmt.Sprintf(" %s=%d", partName(v), threads)
	}
	par = nil
	chk := add("chk", sliceOf(tUint64))
	chk.frozen, chk.minLen, chk.base = true, 1, "tid"
	lens += fmt.Sprintf(" chk=%d", threads)
	return params, lens
}

func (g *gen) kernelBody(params []*variable, s shape) {
	g.indent++
	head := 0
	switch {
	case g.cur.loop:
		g.emit("n := gpu.BlockDim.X * gpu.GridDim.X")
		head = len(g.lines)
		g.open("for tid := range gpu.GridStride(n) {")
	case s.block[1]*s.block[2]*s.grid[1]*s.grid[2] > 1:
		g.emit("lid := gpu.ThreadIdx.X + gpu.BlockDim.X*(gpu.ThreadIdx.Y+gpu.BlockDim.Y*gpu.ThreadIdx.Z)")
		g.emit("tid := (gpu.BlockIdx.X+gpu.GridDim.X*(gpu.BlockIdx.Y+gpu.GridDim.Y*gpu.BlockIdx.Z))*(gpu.BlockDim.X*gpu.BlockDim.Y*gpu.BlockDim.Z) + lid")
	default:
		g.emit("lid := gpu.ThreadIdx.X")
		g.emit("tid := gpu.BlockIdx.X*gpu.BlockDim.X + lid")
	}
	g.push()
	if !g.cur.loop {
		lid := g.declare("lid", tInt)
		lid.frozen, lid.bound = true, g.threads
		lid.line--
	}
	tid := g.declare("tid", tInt)
	tid.frozen, tid.bound = true, s.threads
	g.sharedMemory()
	g.statements(30)
	for g.cur.budget > 0 && g.cur.fn.size < maxSize {
		g.statements(1)
	}
	g.outputs(params)
	g.checksum()
	g.pop()
	if g.cur.loop {
		g.close("}")
		if slices.ContainsFunc(g.lines[head:], func(l string) bool { return strings.HasSuffix(l, "continue gridø") }) {
			g.lines = slices.Insert(g.lines, head, "gridø:")
		}
	}
	g.pop()
	g.indent--
}

// outputs writes most elements that the thread owns.
func (g *gen) outputs(params []*variable) {
	for _, p := range params {
		if p.base == "" || p.frozen {
			continue
		}
		for k := range p.minLen {
			if g.chance(60) {
				g.emit("%s[%s+%d] = %s", p.name, p.base, k, g.operand(p.t.elem, 1))
			}
		}
	}
}

// checksum folds the variables in scope into one number, so that nothing computed goes unseen.
func (g *gen) checksum() {
	g.noFail = true
	h := g.name("h")
	g.emit("%s := uint64(1)", h)
	for _, v := range g.visible(func(v *variable) bool { return v.t.kind < kSlice && !v.param && !v.t.holds }) {
		g.fold(h, v.name, v.t, 0)
	}
	g.emit("chk[tid] = %s", h)
	g.noFail = false
}

func (g *gen) fold(h, e string, t *typ, depth int) {
	switch t.kind {
	case kArray:
		i := g.name("i")
		g.open("for %s := range %s {", i, e)
		g.fold(h, fmt.Sprintf("%s[%s]", e, i), t.elem, depth+1)
		g.close("}")
	case kStruct:
		for _, f := range t.fields {
			g.fold(h, e+"."+f.name, f.t, depth+1)
		}
	case kComplex:
		g.fold(h, fmt.Sprintf("real(%s)", e), t.half(), depth+1)
		g.fold(h, fmt.Sprintf("imag(%s)", e), t.half(), depth+1)
	default:
		g.emit("%s = %[1]s*31 + %s", h, g.bitsOf(e, t))
	}
}

// bitsOf is the scalar e of type t as a uint64 that tells its values apart, all NaNs alike.
func (g *gen) bitsOf(e string, t *typ) string {
	switch {
	case t == tTF32:
		return fmt.Sprintf("uint64(math.Float32bits(%s.Float32()))", e)
	case t.kind == kHalf:
		return fmt.Sprintf("uint64(%s.Bits())", e)
	case t.kind != kFloat:
		return g.convert(tUint64, t, func(*typ) string { return e })
	case t.bits == 32 && !t.param:
		return fmt.Sprintf("uint64(%s(%s))", g.helper("bits32"), as(tFloat32, t, e))
	}
	return fmt.Sprintf("%s(%s)", g.helper("bits64"), as(tFloat64, t, e))
}
