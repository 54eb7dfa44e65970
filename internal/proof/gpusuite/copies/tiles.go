package copies

import "github.com/gridstride/gridstride/gpu"

// lines is how many tiles are in flight at a time.
const lines = 3

// Stream writes twice the elements of a to out, of the same length. A block of 64 threads has a
// tile of 64 elements for each of a few rounds in flight. The last tile may be beyond the end. Each
// thread reads the element that the thread opposite it has copied.
//
//gpu:kernel T=uint32,[2]uint32,[4]uint32 block=64 target=sm_80
func Stream[T uint32 | [2]uint32 | [4]uint32](a, out []T) {
	tiles := gpu.Shared[[lines][64]T]()
	thread, step := gpu.ThreadIdx.X, 64*gpu.GridDim.X
	copyTo := func(round int) {
		if i := 64*gpu.BlockIdx.X + round*step + thread; i < len(a) {
			gpu.CpAsync(&tiles[round%lines][thread], &a[i])
		}
		gpu.CpAsyncCommitGroup()
	}
	for round := range lines - 1 {
		copyTo(round)
	}
	for round := 0; 64*gpu.BlockIdx.X+round*step < len(a); round++ {
		gpu.CpAsyncWaitGroup(lines - 2)
		gpu.SyncThreads()
		copyTo(round + lines - 1)
		if i := 64*gpu.BlockIdx.X + round*step + 63 - thread; i < len(a) {
			out[i] = tiles[round%lines][63-thread]
		}
	}
	gpu.CpAsyncWaitAll()
}

// Rows copies the rows of a matrix, of width elements, to rows of wide elements, padded with zeros.
// wide is a multiple of 8. A block makes a row.
//
//gpu:kernel block=32 target=sm_80
func Rows(a, out []gpu.Float16, width, wide int) {
	tile := gpu.Shared[[256]gpu.Float16]()
	row := a[gpu.BlockIdx.X*width:][:width]
	for at := 8 * gpu.ThreadIdx.X; at < wide; at += 256 {
		if mine := (*[8]gpu.Float16)(tile[at%256:]); gpu.BlockIdx.X%2 == 0 {
			gpu.CpAsyncZeroFill(mine, row[min(at, width):], gpu.CacheGlobal)
		} else {
			gpu.CpAsyncZeroFill(mine, row[min(at, width):])
		}
		gpu.CpAsyncWaitAll()
		for i := range 8 {
			out[gpu.BlockIdx.X*wide+at+i] = tile[at%256+i]
		}
	}
}
