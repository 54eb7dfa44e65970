package level3

import (
	"math"

	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
)

// kernel is a kernel, for all layouts.
type kernel int

const (
	anyKernel kernel = iota
	largeKernel
	halfKernel
	mediumKernel
	smallKernel
	slimKernel
	tinyKernel
)

// method is a way to compute a product: a kernel, into how many parts k goes, and the size of
// these.
type method struct {
	kernel kernel
	tile.Size
	parts, kPart int
}

// cost is how long the blocks of a kernel take, in the time that a multiprocessor needs for a
// multiply-add in each element of a tile where its arithmetic is all that counts.
type cost struct {
	kernel   kernel
	tiling   tile.Tiling
	resident int     // blocks that a multiprocessor has at a time
	each     float64 // a multiply-add of an element
	extra    float64 // steps along k that a block's begin and end are worth
	alone    float64 // extra time of a multiply-add, once, for want of other blocks
}

// costs are the costs of the kernels for float32, by measurements of products from 64 by 64 to 8192
// by 8192 on an H200.
var costs = []cost{
	{largeKernel, largeTile(), 2, 1.24, 33, 0.12},
	{halfKernel, halfTile(), 1, 1.85, 60, -0.35},
	{mediumKernel, mediumTile(), 3, 1.40, 90, 0.5},
	{smallKernel, smallTile(), 3, 1.51, 110, 1.1},
	{tinyKernel, tinyTile(), 4, 1.96, 100, 2.2},
}

// multiprocessors is the number of an H200's. The choice does not depend on the device, as the
// order of additions depends on it.
const multiprocessors = 132

// of is the cost of a grid of blocks with k steps each.
func (c *cost) of(blocks, k int) float64 {
	inTurn := (blocks-1)/multiprocessors + 1
	if inTurn > c.resident { // the last blocks do not spread evenly
		inTurn = ((blocks-1)/(multiprocessors*c.resident) + 1) * c.resident
	}
	return float64(c.tiling.Rows*c.tiling.Cols) * (c.each*float64(k+int(c.extra))*float64(inTurn) + c.alone*float64(k))
}

// Parts of k are worth their meeting from leastPart steps on. It costs meeting multiply-adds of a
// multiprocessor, and meetEach more for each part.
const (
	leastPart = 256
	mostParts = 64
	meeting   = 760_000
	meetEach  = 12_000
)

// choose32 is the method that costs least.
func choose32(p *Product[float32, float32]) method {
	k := p.K()
	if !isWide(p.A, p.StrideA, lanes32) || !isWide(p.B, p.StrideB, lanes32) {
		return method{anyKernel, anyTile().Size, 1, k}
	}
	var best method
	least := math.Inf(1)
	consider := func(c cost, parts, kPart int) {
		estimate := c.of(c.tiling.Tiles(p.C.Rows, p.C.Cols)*p.Count*parts, kPart)
		if parts > 1 {
			estimate += float64(meeting + meetEach*parts)
		}
		if estimate < least {
			best, least = method{c.kernel, c.tiling.Size, parts, kPart}, estimate
		}
	}
	for _, c := range costs {
		consider(c, 1, k)
		if c.kernel != smallKernel {
			continue
		}
		tiles, stage := c.tiling.Tiles(p.C.Rows, p.C.Cols)*p.Count, c.tiling.Slices*c.tiling.Depth
		room := min(onepass.PartialBytes/(4*c.tiling.Rows*c.tiling.Cols)/tiles, mostParts)
		for parts := 2; parts <= room && k/parts >= leastPart && tiles <= onepass.Tickets; parts *= 2 {
			kPart := ((k-1)/parts/stage + 1) * stage
			consider(c, (k-1)/kPart+1, kPart)
		}
	}
	return best
}

// cost64 is how long a multiprocessor takes for a tile of a kernel for tensor cores, in ns: to
// begin and end it, and for each step along k.
type cost64 struct {
	kernel      kernel
	size        tile.Size
	begin, each int
}

// small64 and the others of costs64 are by measurements of products from 64 by 64 to 2048 by 2048
// on an H200.
var (
	small64 = cost64{smallKernel, smallTensor().Size, 2200, 20}
	costs64 = []cost64{
		{largeKernel, largeTensor().Size, 10_000, 73}, small64,
		{slimKernel, slimTensor().Size, 1200, 13}, {tinyKernel, tinyTensor().Size, 300, 9},
	}
)

// of is the cost of a number of tiles with k steps each.
func (c *cost64) of(tiles, k int) int {
	return ((tiles-1)/multiprocessors + 1) * (c.begin + c.each*k)
}

// cheapest64 is the kernel whose tiles cost least.
func cheapest64(rows, cols, k, count int) (best cost64) {
	least := math.MaxInt
	for _, c := range costs64 {
		if cost := c.of(c.size.Tiles(rows, cols)*count, k); cost < least {
			best, least = c, cost
		}
	}
	return best
}

// A part of k of float64 has at least leastPart64 steps, a multiple of stage64. Parts that meet take
// as long as meeting64 steps along k of a small tile, the time of the launch that adds them.
const (
	leastPart64 = 256
	stage64     = 32
	meeting64   = 192
)

// parts64 is the number of parts of k, and their length: those with the least time in small
// tiles. Parts are for products with a small C. The bits depend on them, so they depend neither
// on the device nor on the layout. For one part it supposes quarter tiles, as in the
// measurement.
func parts64(rows, cols, k, count int) (parts, kPart int) {
	small, quarter := small64.size.Tiles(rows, cols)*count, tile.Size{Rows: 32, Cols: 32}.Tiles(rows, cols)*count
	parts, kPart = 1, k
	if small >= multiprocessors || k < 2*leastPart64 {
		return parts, kPart
	}
	const quarters = 4 // of a small tile's time, which one of those takes
	least := min(quarters*k, ((quarter-1)/multiprocessors+1)*k)
	most := min(multiprocessors/small, k/leastPart64, onepass.PartialBytes/(8*rows*cols*count))
	for n := 2; n <= most; n++ {
		each := ((k-1)/n/stage64 + 1) * stage64
		if time := quarters * (each + meeting64); time < least {
			parts, kPart, least = (k-1)/each+1, each, time
		}
	}
	return parts, kPart
}

// chooseTensor64 takes the tiles that cost least. The bits depend on the parts alone.
func chooseTensor64(p *Product[float64, float64]) method {
	parts, kPart := parts64(p.C.Rows, p.C.Cols, p.K(), p.Count)
	switch {
	case !isWide(p.A, p.StrideA, lanes64) || !isWide(p.B, p.StrideB, lanes64):
		return method{anyKernel, small64.size, parts, kPart}
	case parts > 1:
		return method{smallKernel, small64.size, parts, kPart}
	}
	best := cheapest64(p.C.Rows, p.C.Cols, p.K(), p.Count)
	return method{best.kernel, best.size, parts, kPart}
}

// choosePlain64 is the method of devices without these tensor cores.
func choosePlain64(p *Product[float64, float64]) method {
	parts, kPart := parts64(p.C.Rows, p.C.Cols, p.K(), p.Count)
	return method{anyKernel, tile64().Size, parts, kPart}
}
