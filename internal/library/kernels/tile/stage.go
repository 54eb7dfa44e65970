package tile

import "github.com/gridstride/gridstride/gpu"

// Stages is how many stages are in flight by asynchronous copies, or multiplied, at a time. Lines
// is how much a stage has of a row of A, and of a column of B, in lines of 16 bytes, which are
// copied, and read by ldmatrix, at once.
const (
	Stages = 3
	Lines  = 4
)

// mostCopied is the largest number of lines that a thread copies of a part of A, or of B, for a
// stage.
const mostCopied = 4

// Source is A, or B, in global memory. Each row begins at a multiple of 16 bytes. It is deep if
// elements are side by side along k, and otherwise rows have a multiple of 16 bytes. The parts of a
// sum are PartStride elements apart.
type Source[T any] struct {
	Data         []T
	Size, Stride int // rows of A or columns of B; elements from a row in memory to the next
	PartStride   int
}

// MostStride is the largest Stride, in lines, of more than one deep row.
const MostStride = 1 << 24

// copier brings one stage of A's or of B's tile after the other to shared memory. There, the lines
// of a row have an order in which neither the copies nor ldmatrix find two of eight in one bank.
type copier[T any] struct {
	data       []T
	at         [mostCopied]int32 // where the thread's lines of the first stage are, in lines
	partStride int
	k, step    int // where along k the thread's first line is, and how far along k from one to the next
	next, off  int // elements from stage to stage, and up to the next one
	to, toNext int // where in a tile the first line goes, and how much further the next
}

// startCopies is the copier for the tile that starts at first. Rows of A, or columns of B, after
// the last are read as the last: only elements of C that do not exist use them.
func startCopies[T any](s Source[T], first, tile, threads, perLine int, deep bool) (c copier[T]) {
	c.partStride = s.PartStride
	thread, count, depth := gpu.ThreadIdx.X, tile*Lines/threads, Lines*perLine
	if deep {
		row, line := thread/Lines, thread%Lines
		c.data = s.Data[first*s.Stride:]
		for j := range count {
			c.at[j] = int32(min(row+j*(threads/Lines), s.Size-1-first)*(s.Stride/perLine) + line)
		}
		c.k, c.step, c.next = line*perLine, 0, depth
		c.to, c.toNext = deepLine(row, line)*perLine, threads*perLine
		return c
	}
	across := tile / perLine // Lines side by side
	row, line := thread/across, thread%across
	c.data = s.Data[first:]
	for j := range count {
		c.at[j] = int32((row+j*(threads/across))*(s.Stride/perLine) + min(line, (s.Size-first)/perLine-1))
	}
	c.k, c.step, c.next = row, threads/across, depth*s.Stride
	c.to, c.toNext = wideLine(row, line, across)*perLine, threads*perLine
	return c
}

// deepLine is the place of a line of a row in a tile with deep rows, and wideLine in one with rows
// across k.
func deepLine(row, line int) int         { return row*Lines + line ^ row>>1&3 }
func wideLine(row, line, across int) int { return row*across + line ^ row&7 }

// copyStage starts the copies of the next stage of each part to a tile. copyLine copies the
// elements of a line, and zeros for the rest. left is the k of a stage that is not whole.
func (c *copier[T]) copyStage(tile []T, tileSize, count, parts, perLine, left int, whole, deep bool, copyLine func(dst, src []T)) {
	for p := range parts {
		for j := range count {
			from, to := c.off+p*c.partStride+int(c.at[j])*perLine, p*tileSize+c.to+j*c.toNext
			n := perLine
			if !whole && deep {
				n = max(min(left-c.k, perLine), 0)
			}
			if !whole && !deep && c.k+j*c.step >= left {
				n = 0
			}
			if n == 0 {
				from = 0 // elements not read may be after the end
			}
			copyLine(tile[to:], c.data[from:][:n])
		}
	}
	c.off += c.next
}

// Stream brings the stages of a tile that begins at a row of A and a column of B, along k, and has
// multiply take one after the other: tiles of A's parts, one after the other, and of B's. shared
// has room for [StagedTiling.Elements]. perLine is the number of elements in 16 bytes.
func Stream[T any](shared []T, a, b Source[T], k, row, col int, t StagedTiling, parts, perLine int, deepA, deepB bool,
	copyLine func(dst, src []T), multiply func(tileA, tileB []T),
) {
	depth := Lines * perLine
	sizeA, sizeB := t.Rows*depth, t.Cols*depth
	countA, countB := t.Rows*Lines/t.Threads, t.Cols*Lines/t.Threads
	nextA := startCopies(a, row, t.Rows, t.Threads, perLine, deepA)
	nextB := startCopies(b, col, t.Cols, t.Threads, perLine, deepB)
	rounds, whole := int32((k+depth-1)/depth), int32(k/depth)
	fetch := func(round, place int32) {
		tiles := shared[int(place)*parts*(sizeA+sizeB):]
		if round < whole {
			nextA.copyStage(tiles, sizeA, countA, parts, perLine, 0, true, deepA, copyLine)
			nextB.copyStage(tiles[parts*sizeA:], sizeB, countB, parts, perLine, 0, true, deepB, copyLine)
		} else if round < rounds {
			left := k - int(round)*depth
			nextA.copyStage(tiles, sizeA, countA, parts, perLine, left, false, deepA, copyLine)
			nextB.copyStage(tiles[parts*sizeA:], sizeB, countB, parts, perLine, left, false, deepB, copyLine)
		}
		gpu.CpAsyncCommitGroup()
	}
	for i := range Stages - 1 {
		fetch(int32(i), int32(i))
	}
	ready, free := int32(0), int32(Stages-1)
	for round := range rounds {
		gpu.CpAsyncWaitGroup(Stages - 2)
		gpu.SyncThreads()
		fetch(round+int32(Stages-1), free)
		tiles := shared[int(ready)*parts*(sizeA+sizeB):]
		multiply(tiles[:parts*sizeA], tiles[parts*sizeA:])
		free = ready
		if ready++; ready == int32(Stages) {
			ready = 0
		}
	}
	gpu.CpAsyncWaitAll()
}
