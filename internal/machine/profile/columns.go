package profile

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gridstride/gridstride/internal/abi"
)

// column is a column of the tables of text and HTML: a counter, or an average.
type column struct {
	group, title string
	what         string // in a few words, for people
	value        func(*Counts) float64
	average      *average // nil for a counter
}

// average is the contents of a column that is no counter.
type average struct {
	decimals int                   // after the point
	of       func(*Counts) float64 // the averaged value
	excess   func(*Counts) float64 // to the best there can be, which is 1
	hint     func(*Counts) string  // the parts of the average, may be nil
}

func counter(group, title, what string, value func(*Counts) uint64) column {
	return column{group: group, title: title, what: what, value: func(c *Counts) float64 { return float64(value(c)) }}
}

// ratio is a column of what was done to what would have done.
func ratio(group, what, unit string, value func(*Counts) float64, made func(*Counts) (actual, ideal uint64)) column {
	return column{group: group, title: "ratio", what: what, value: value, average: &average{
		decimals: 2, excess: value,
		of: func(c *Counts) float64 { actual, _ := made(c); return float64(actual) },
		hint: func(c *Counts) string {
			actual, ideal := made(c)
			return fmt.Sprintf("%s %s, %s would do", grouped(actual), unit, grouped(ideal))
		},
	}}
}

// columns are all of them, in order.
var columns = []column{
	counter("", "instr", "instructions that warps ran", func(c *Counts) uint64 { return c.Instructions }),
	{title: "lanes", what: "lanes that took part in an instruction, of 32, on average",
		value: func(c *Counts) float64 { return c.ActiveLanes },
		average: &average{
			decimals: 1,
			of:       func(c *Counts) float64 { return float64(c.Instructions) },
			excess:   func(c *Counts) float64 { return abi.WarpSize / c.ActiveLanes },
		}},
	counter("global memory", "requests", "loads, stores and atomics of warps",
		func(c *Counts) uint64 { return c.GlobalRequests }),
	counter("global memory", "sectors", "pieces of 32 bytes that the requests touched",
		func(c *Counts) uint64 { return c.GlobalSectors }),
	ratio("global memory", "sectors to the fewest that hold the bytes asked for; 1 is coalesced", "sectors",
		func(c *Counts) float64 { return c.GlobalRatio },
		func(c *Counts) (uint64, uint64) { return c.GlobalSectors, c.GlobalIdealSectors }),
	counter("shared memory", "requests", "loads, stores and atomics of warps",
		func(c *Counts) uint64 { return c.SharedRequests }),
	counter("shared memory", "passes", "turns that the 32 banks took to serve the requests",
		func(c *Counts) uint64 { return c.SharedPasses }),
	ratio("shared memory", "passes to the fewest that serve the words asked for; 1 is free of bank conflicts", "passes",
		func(c *Counts) float64 { return c.SharedRatio },
		func(c *Counts) (uint64, uint64) { return c.SharedPasses, c.SharedIdealPasses }),
	counter("tensor cores", "products", "products of matrices that warps ran, as mma",
		func(c *Counts) uint64 { return c.TensorInstructions }),
	counter("tensor cores", "FMA", "multiply-adds of the products", func(c *Counts) uint64 { return c.TensorMultiplyAdds }),
	counter("async copies", "run", "asynchronous copies of warps, between global and shared memory", func(c *Counts) uint64 { return c.Copies }),
	counter("async copies", "bytes", "bytes of the copies", func(c *Counts) uint64 { return c.CopiedBytes }),
	counter("async copies", "waits", "waits of warps for groups of copies or products, and tests of mbarriers",
		func(c *Counts) uint64 { return c.CopyWaits }),
	{group: "async copies", title: "in flight",
		what:  "bytes of copies under way to the shared memory of a block, on average over its longest chain of instructions",
		value: func(c *Counts) float64 { return math.Round(c.BytesInFlight) }},
	counter("async copies", "most", "the most bytes under way to a block at once", func(c *Counts) uint64 { return c.MostBytesInFlight }),
	counter("", "atomics", "atomic operations of warps, which are among the requests",
		func(c *Counts) uint64 { return c.Atomics }),
	counter("", "waits", "warps that waited at a block barrier", func(c *Counts) uint64 { return c.BarrierWaits }),
	counter("branches", "run", "conditional branches that warps ran", func(c *Counts) uint64 { return c.Branches }),
	counter("branches", "divergent", "branches whose lanes went both ways",
		func(c *Counts) uint64 { return c.Divergent }),
}

// used are the columns that have something to say about the total. A group is shown whole or not at
// all.
func used(total *Counts) []column {
	groups := map[string]bool{}
	for _, c := range columns {
		if c.value(total) != 0 {
			groups[c.key()] = true
		}
	}
	var list []column
	for _, c := range columns {
		if groups[c.key()] {
			list = append(list, c)
		}
	}
	return list
}

// key is the same for columns that are shown together.
func (c *column) key() string {
	if c.group != "" {
		return c.group
	}
	return c.title
}

// text is the column's value as people read it: nothing for 0.
func (c *column) text(counts *Counts) string {
	v := c.value(counts)
	switch {
	case v == 0:
		return ""
	case c.average != nil:
		return strconv.FormatFloat(v, 'f', c.average.decimals, 64)
	}
	return grouped(uint64(v))
}

// grouped is 1,234,567.
func grouped(n uint64) string {
	if n < 1000 {
		return strconv.FormatUint(n, 10)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
