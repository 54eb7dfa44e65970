package shortlist

import (
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// tileCols is the number of copies of rows that share their largest size: a tile of filter's.
const tileCols = warpgroups.HalfCols

// Length is how many rows there is room for on a list, and overrun the count of one that ran over,
// or is made to.
const (
	Length  = 4096
	overrun = Length + 1
)

// portion is those copies of the rows of a matrix that filter is given: from copy First on, which a
// tile begins with. Where All is set, all of them go on the lists, in order.
type portion struct {
	First int
	All   bool
}

// list has for each query the numbers of up to Length copies with their rough scores, their count,
// which is above Length if some had no room, and the limit that they have reached.
type list struct {
	Scores []float32
	Copies []int32
	Counts []int32
	Limits []float32
}

// filter puts the copies of a portion on the lists of those queries whose limits they may reach:
// the product of the queries and the copies, without a matrix of scores. s is its shape.
//
//gpu:kernel block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func filter(queries, copies gpu.TensorMap[gpu.BFloat16], s warpgroups.Shape, p portion, slacks, sizes, largest []float32, l list) {
	warpgroups.Halves[gpu.BFloat16, tile.AlongK, tile.AlongK](queries, copies, &s, 0, 0, func(sum *gpu.C64x256[float32], _, query, col int) {
		if p.All {
			keepAll(sum, &s, &p, query, col, &l)
		} else {
			choose(sum, &s, &p, query, col, slacks, sizes, largest[(p.First+col)/tileCols], &l)
		}
	})
}

// A thread has sums of two queries: of four adjacent ones, two belong to the first, and two to the
// second. It looks at this many sums at a time.
const (
	threadQueries = 2
	together      = 16
)

// choose puts copies on the lists by the thread's sums, which begin at a query and a column. The
// largest size of the tile tells of nearly all that they do not reach a limit: then the sign of the
// difference is set. (With a branch for each sum NVIDIA's assembler of CUDA 12.4 makes a
// segmentation fault.)
func choose(sum *gpu.C64x256[float32], s *warpgroups.Shape, p *portion, query, col int, slacks, sizes []float32, largest float32, l *list) {
	stage := gpu.Shared[[together * warpgroups.Consumers]float32]()[gpu.ThreadIdx.X:]
	var reach [threadQueries]float32
	for r := range reach {
		row, _ := sum.At(gpu.ThreadIdx.X%warpgroups.GroupSize, 2*r)
		reach[r] = float32(math.Inf(1))
		if q := query + row; q < s.M {
			reach[r] = gpu.FMA(-slacks[q], largest, l.Limits[q])
		}
	}
	for part := range len(sum) / together {
		below := int32(-1)
		for i := range together {
			below &= int32(math.Float32bits(sum[part*together+i] - reach[i/2%threadQueries]))
		}
		if below < 0 {
			continue
		}
		var found uint32
		for i := range together {
			x := sum[part*together+i]
			stage[i*warpgroups.Consumers] = x
			if x >= reach[i/2%threadQueries] {
				found |= 1 << i
			}
		}
		for ; found != 0; found &= found - 1 {
			i := bits.TrailingZeros32(found)
			q, c := sum.At(gpu.ThreadIdx.X%warpgroups.GroupSize, part*together+i)
			l.offer(query+q, col+c, stage[i*warpgroups.Consumers], s, p, slacks, sizes)
		}
	}
}

// offer puts a copy on a list if there are such, and the query's limit is reached.
func (l *list) offer(query, col int, score float32, s *warpgroups.Shape, p *portion, slacks, sizes []float32) {
	if query < s.M && col < s.N && gpu.FMA(slacks[query], sizes[p.First+col], score) >= l.Limits[query] {
		l.add(query, p.First+col, score)
	}
}

// add puts a copy on a list, if there is room.
func (l *list) add(query, i int, score float32) {
	if at := int(gpu.AtomicAdd(&l.Counts[query], 1)); at < Length {
		l.Scores[query*Length+at], l.Copies[query*Length+at] = score, int32(i)
	}
}

// keepAll puts all copies of a tile on the lists.
func keepAll(sum *gpu.C64x256[float32], s *warpgroups.Shape, p *portion, query, col int, l *list) {
	warpgroups.Pairs(sum, s, query, col, func(query, col, count int, x, y float32) {
		at := query*Length + col
		l.Scores[at], l.Copies[at] = x, int32(p.First+col)
		if count > 1 {
			l.Scores[at+1], l.Copies[at+1] = y, int32(p.First+col+1)
		}
	})
}
