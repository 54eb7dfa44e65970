package gpu

import "unsafe"

// A matrix in memory is lines of 16 bytes. For each line, one lane has the address. An element is
// found in its line.

// Fragment is a lane's fragment of a matrix of T.
type Fragment[T any] interface {
	~[1]T | ~[2]T | ~[4]T | ~[8]T | ~[16]T
}

// lines is the layout of a matrix in memory: by rows or by columns, with the number of rows, of
// lines, and of elements of a line.
type lines struct {
	byRows               bool
	rows, count, perLine int
}

// linesOf are the lines of a matrix of T.
func linesOf[T any](byRows bool, rows, cols int) lines {
	var x T
	n := 16 / int(unsafe.Sizeof(x))
	return lines{byRows, rows, rows * cols / n, n}
}

// begin is where in the matrix a lane's line begins. Eight lines are a piece of the matrix. Pieces
// follow each other down the matrix first, and then along.
func (l lines) begin(lane int) (row, col int) {
	piece, line := lane/8%(l.count/8), lane%8
	if l.byRows {
		high := l.rows / 8
		return piece%high*8 + line, piece / high * l.perLine
	}
	high := l.rows / l.perLine
	return piece % high * l.perLine, piece/high*8 + line
}

// find is the line that has an element, and the element's index in it.
func (l lines) find(row, col int) (lane, i int) {
	for lane := range l.count {
		r, c := l.begin(lane)
		along, across := col-c, row-r
		if !l.byRows {
			along, across = across, along
		}
		if across == 0 && along >= 0 && along < l.perLine {
			return lane, along
		}
	}
	panic("an element that no line has")
}

// matrix is a fragment of any matrix: it says where its elements are, and the layout of the matrix
// by rows or by columns.
type matrix interface {
	at(lane, i int) (row, col int)
	lines(byRows bool) lines
}

func (A16x4[T]) at(lane, i int) (row, col int)  { return partOfA[T](16, lane, i) }
func (A16x8[T]) at(lane, i int) (row, col int)  { return partOfA[T](16, lane, i) }
func (A16x16[T]) at(lane, i int) (row, col int) { return partOfA[T](16, lane, i) }
func (A16x32[T]) at(lane, i int) (row, col int) { return partOfA[T](16, lane, i) }
func (B4x8[T]) at(lane, i int) (row, col int)   { return partOfB[T](lane, i) }
func (B8x8[T]) at(lane, i int) (row, col int)   { return partOfB[T](lane, i) }
func (B16x8[T]) at(lane, i int) (row, col int)  { return partOfB[T](lane, i) }
func (B32x8[T]) at(lane, i int) (row, col int)  { return partOfB[T](lane, i) }
func (C8x8[T]) at(lane, i int) (row, col int)   { return partOfC(lane, i) }
func (C16x8[T]) at(lane, i int) (row, col int)  { return partOfC(lane, i) }

func (A16x4[T]) lines(byRows bool) lines  { return linesOf[T](byRows, 16, 4) }
func (A16x8[T]) lines(byRows bool) lines  { return linesOf[T](byRows, 16, 8) }
func (A16x16[T]) lines(byRows bool) lines { return linesOf[T](byRows, 16, 16) }
func (A16x32[T]) lines(byRows bool) lines { return linesOf[T](byRows, 16, 32) }
func (B4x8[T]) lines(byRows bool) lines   { return linesOf[T](byRows, 4, 8) }
func (B8x8[T]) lines(byRows bool) lines   { return linesOf[T](byRows, 8, 8) }
func (B16x8[T]) lines(byRows bool) lines  { return linesOf[T](byRows, 16, 8) }
func (B32x8[T]) lines(byRows bool) lines  { return linesOf[T](byRows, 32, 8) }
func (C8x8[T]) lines(byRows bool) lines   { return linesOf[T](byRows, 8, 8) }
func (C16x8[T]) lines(byRows bool) lines  { return linesOf[T](byRows, 16, 8) }

// RowAt and ColumnAt are where a lane's line begins.

func (f A16x4[T]) RowAt(lane int) (row, col int)  { return f.lines(true).begin(lane) }
func (f A16x8[T]) RowAt(lane int) (row, col int)  { return f.lines(true).begin(lane) }
func (f A16x16[T]) RowAt(lane int) (row, col int) { return f.lines(true).begin(lane) }
func (f A16x32[T]) RowAt(lane int) (row, col int) { return f.lines(true).begin(lane) }
func (f B8x8[T]) RowAt(lane int) (row, col int)   { return f.lines(true).begin(lane) }
func (f B16x8[T]) RowAt(lane int) (row, col int)  { return f.lines(true).begin(lane) }
func (f C8x8[T]) RowAt(lane int) (row, col int)   { return f.lines(true).begin(lane) }
func (f C16x8[T]) RowAt(lane int) (row, col int)  { return f.lines(true).begin(lane) }

func (f A16x8[T]) ColumnAt(lane int) (row, col int)  { return f.lines(false).begin(lane) }
func (f A16x16[T]) ColumnAt(lane int) (row, col int) { return f.lines(false).begin(lane) }
func (f B4x8[T]) ColumnAt(lane int) (row, col int)   { return f.lines(false).begin(lane) }
func (f B8x8[T]) ColumnAt(lane int) (row, col int)   { return f.lines(false).begin(lane) }
func (f B16x8[T]) ColumnAt(lane int) (row, col int)  { return f.lines(false).begin(lane) }
func (f B32x8[T]) ColumnAt(lane int) (row, col int)  { return f.lines(false).begin(lane) }
func (f C8x8[T]) ColumnAt(lane int) (row, col int)   { return f.lines(false).begin(lane) }
func (f C16x8[T]) ColumnAt(lane int) (row, col int)  { return f.lines(false).begin(lane) }

// load is the lane's fragment of a matrix whose lines the lanes from first on have. The memory is
// read before a lane goes on.
func load[F Fragment[T], T any](mine *[16]byte, first int, byRows bool) (f F) {
	m := any(f).(matrix)
	all := wait(ofWarp, FullMask, *mine)
	for i := range len(f) {
		lane, at := m.lines(byRows).find(m.at(LaneID(), i))
		line := all[first+lane].([16]byte)
		f[i] = *(*T)(unsafe.Pointer(&line[at*int(unsafe.Sizeof(f[i]))]))
	}
	return f
}

// LdMatrixRows is a fragment of a matrix that is stored by rows.
func LdMatrixRows[F Fragment[T], T any](row *T) F {
	return load[F, T]((*[16]byte)(unsafe.Pointer(row)), 0, true)
}

// LdMatrixColumns is a fragment of a matrix that is stored by columns.
func LdMatrixColumns[F Fragment[T], T any](column *T) F {
	return load[F, T]((*[16]byte)(unsafe.Pointer(column)), 0, false)
}

// LdMatrixRows2 is the fragments of two matrices.
func LdMatrixRows2[F Fragment[T], T any](row *T) [2]F {
	line := (*[16]byte)(unsafe.Pointer(row))
	return [2]F{load[F, T](line, 0, true), load[F, T](line, 16, true)}
}

// LdMatrixColumns2 is the fragments of two matrices.
func LdMatrixColumns2[F Fragment[T], T any](column *T) [2]F {
	line := (*[16]byte)(unsafe.Pointer(column))
	return [2]F{load[F, T](line, 0, false), load[F, T](line, 16, false)}
}

// store writes a fragment to the lines of the lanes.
func store[F Fragment[T], T any](line *T, f F, byRows bool) {
	m := any(f).(matrix)
	all := wait(ofWarp, FullMask, line)
	for i := range len(f) {
		lane, at := m.lines(byRows).find(m.at(LaneID(), i))
		*(*T)(unsafe.Add(unsafe.Pointer(all[lane].(*T)), at*int(unsafe.Sizeof(f[i])))) = f[i]
	}
}

// StMatrixRows writes a matrix by rows.
func StMatrixRows[F Fragment[T], T any](row *T, f F) { store(row, f, true) }

// StMatrixColumns writes a matrix by columns.
func StMatrixColumns[F Fragment[T], T any](column *T, f F) { store(column, f, false) }
