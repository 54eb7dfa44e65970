package gen

import "fmt"

// fragment is a matrix whose elements are spread over the lanes of a warp, a number of them in each
// lane. It is read from shared memory, and written there, by lines of 16 bytes.
type fragment struct {
	name       string
	rows, cols int
	elem       *typ
}

var fragments = []fragment{
	{"A16x16", 16, 16, tFloat16}, {"A16x16", 16, 16, tBFloat16}, {"A16x16", 16, 16, tInt8},
	{"A16x8", 16, 8, tBFloat16}, {"A16x8", 16, 8, tTF32}, {"A16x4", 16, 4, tTF32},
	{"A16x32", 16, 32, tUint8}, {"A16x32", 16, 32, tE4M3},
	{"B16x8", 16, 8, tFloat16}, {"B16x8", 16, 8, tBFloat16}, {"B16x8", 16, 8, tUint8},
	{"B8x8", 8, 8, tFloat16}, {"B8x8", 8, 8, tTF32}, {"B4x8", 4, 8, tTF32},
	{"B32x8", 32, 8, tInt8}, {"B32x8", 32, 8, tE5M2},
	{"C16x8", 16, 8, tFloat16}, {"C8x8", 8, 8, tBFloat16},
}

func (f fragment) String() string { return fmt.Sprintf("gpu.%s[%s]", f.name, f.elem.name) }

// lanes is how many elements a lane has.
func (f fragment) lanes() int { return f.rows * f.cols / 32 }

// perLine is how many elements a line has.
func (f fragment) perLine() int { return 128 / f.elem.bits }

// lines is how many lines the matrix has.
func (f fragment) lines() int { return f.rows * f.cols / f.perLine() }

// typ is the type of a lane's fragment.
func (f fragment) typ() *typ {
	t := &typ{kind: kArray, name: f.String(), elem: f.elem, n: f.lanes()}
	t.base = t
	return t
}

// tile is a fragment's matrix in shared memory, one for each warp or two.
type tile struct {
	fragment
	name   string
	byRows bool
	pitch  int // elements from one line of the matrix to the next
	size   int
}

// tileOf lays a matrix out: by rows or by columns, at times with padding.
func (g *gen) tileOf(f fragment) tile {
	t := tile{fragment: f, name: g.name("tile")}
	rowsToo := f.elem.bits == 16
	t.byRows = f.name[0] == 'A' && !rowsToo || rowsToo && g.chance(50)
	count := f.rows
	if t.pitch = f.cols; !t.byRows {
		t.pitch, count = f.rows, f.cols
	}
	if g.chance(50) {
		t.pitch += f.perLine()
	}
	t.size = count * t.pitch
	return t
}

// at is the index of an element.
func (t tile) at(row, col string) string {
	if t.byRows {
		return fmt.Sprintf("%s*%d+%s", row, t.pitch, col)
	}
	return fmt.Sprintf("%s*%d+%s", col, t.pitch, row)
}

// order is how the functions of package gpu call the tile's layout.
func (t tile) order() string {
	if t.byRows {
		return "Row"
	}
	return "Column"
}

// fragmentStmt reads a fragment from shared memory, or writes one there.
func (g *gen) fragmentStmt() {
	if g.target == "sm_90" && g.chance(40) {
		g.storeFragment()
		return
	}
	t := g.tileOf(pick(g, fragments...))
	result, matrices := t.typ(), 1
	if t.lines() <= 16 && g.chance(40) {
		result, matrices = arrayOf(2, t.typ()), 2
	}
	g.shareTile(t, matrices)
	g.fillTile(t, matrices)
	row, col, v := g.name("row"), g.name("col"), g.name("v")
	lane, number, which := "gpu.LaneID()", "", "0"
	if matrices == 2 {
		lane, number, which = "gpu.LaneID()%16", "2", "gpu.LaneID()/16"
	}
	g.emit("%s, %s := %s{}.%sAt(%s)", row, col, t, t.order(), lane)
	g.emit("%s := gpu.LdMatrix%ss%s[%s](&%s[%s][%s])", v, t.order(), number, t, t.name, which, t.at(row, col))
	g.declare(v, result)
	g.emit("gpu.SyncWarp(gpu.FullMask)")
}

// shareTile declares the given number of matrices for each warp.
func (g *gen) shareTile(t tile, matrices int) {
	g.emit("%s := &gpu.Shared[[%d][%d][%d]%s]()[gpu.WarpID()]", t.name, g.threads/32, matrices, t.size, t.elem.name)
}

// fillTile writes every element, including the padding.
func (g *gen) fillTile(t tile, matrices int) {
	i := g.name("i")
	g.push()
	g.open("for %s := gpu.LaneID(); %s < %d; %s += gpu.WarpSize {", i, i, t.size, i)
	g.counter(i, tInt, t.size)
	for m := range matrices {
		g.emit("%s[%d][%s] = %s", t.name, m, i, g.cell(t.elem))
	}
	g.useAll()
	g.close("}")
	g.cur.scopes = g.cur.scopes[:len(g.cur.scopes)-1]
	g.emit("gpu.SyncWarp(gpu.FullMask)")
}

// storeFragment writes a fragment, and has each lane read an element of the matrix.
func (g *gen) storeFragment() {
	f := pick(g, fragments...)
	for f.elem.bits != 16 {
		f = pick(g, fragments...)
	}
	t := g.tileOf(f)
	value := g.fragment(t.String(), t.lanes(), func() string { return g.cell(t.elem) })
	if s, ok := g.read(t.typ()); ok && g.chance(50) {
		value = s
	}
	g.shareTile(t, 1)
	row, col, v := g.name("row"), g.name("col"), g.name("v")
	g.emit("%s, %s := %s{}.%sAt(gpu.LaneID())", row, col, t, t.order())
	g.emit("gpu.StMatrix%ss(&%s[0][%s], %s)", t.order(), t.name, t.at(row, col), value)
	g.emit("gpu.SyncWarp(gpu.FullMask)")
	g.emit("%s := %s[0][%s]", v, t.name, t.at(fmt.Sprintf("(int(%s))", g.safeIndex(t.rows)), fmt.Sprintf("int(%s)", g.safeIndex(t.cols))))
	g.declare(v, t.elem)
	g.emit("gpu.SyncWarp(gpu.FullMask)")
}

// cell is an element of a matrix that is not multiplied: of any bits, except for TF32.
func (g *gen) cell(t *typ) string {
	if t == tTF32 {
		return g.factor(t, nil)
	}
	if t.kind == kHalf {
		return fmt.Sprintf("%sFromBits(%s)", t.name, g.expr(t.bitsType(), 1))
	}
	return g.expr(t, 1)
}
