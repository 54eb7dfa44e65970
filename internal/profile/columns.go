package profile

import (
	"fmt"
	"strconv"
)

// column is a column of the tables of text and HTML.
type column struct {
	group, title string
	what         string // what it counts, in a sentence
	value        func(*Counts) float64
	places       int  // after the point
	ratio        bool // of what was done to what would do
}

func counter(group, title string, value func(*Counts) uint64, what string) column {
	return column{group: group, title: title, what: what, value: func(c *Counts) float64 { return float64(value(c)) }}
}

// columns are all of them, in order.
var columns = []column{
	counter("", "instr", func(c *Counts) uint64 { return c.Instructions }, "instructions that warps ran"),
	{group: "", title: "lanes", places: 1, value: func(c *Counts) float64 { return c.ActiveLanes },
		what: "lanes that took part in an instruction, of 32, on average"},
	counter("global memory", "requests", func(c *Counts) uint64 { return c.GlobalRequests }, "loads, stores and atomics of warps in global memory"),
	counter("global memory", "sectors", func(c *Counts) uint64 { return c.GlobalSectors }, "pieces of 32 bytes that the requests touched"),
	{group: "global memory", title: "ratio", places: 2, ratio: true, value: func(c *Counts) float64 { return c.GlobalRatio },
		what: "sectors touched to the fewest that hold the bytes asked for; 1 is coalesced"},
	counter("shared memory", "requests", func(c *Counts) uint64 { return c.SharedRequests }, "loads, stores and atomics of warps in shared memory"),
	counter("shared memory", "passes", func(c *Counts) uint64 { return c.SharedPasses }, "turns that the 32 banks took to serve the requests"),
	{group: "shared memory", title: "ratio", places: 2, ratio: true, value: func(c *Counts) float64 { return c.SharedRatio },
		what: "passes taken to the fewest that serve the words asked for; 1 is free of bank conflicts"},
	counter("", "atomics", func(c *Counts) uint64 { return c.Atomics }, "atomic operations of warps, of the requests"),
	counter("", "waits", func(c *Counts) uint64 { return c.BarrierWaits }, "warps that waited at a block barrier"),
	counter("branches", "run", func(c *Counts) uint64 { return c.Branches }, "conditional branches that warps ran"),
	counter("branches", "divergent", func(c *Counts) uint64 { return c.Divergent }, "branches whose lanes went both ways"),
}

// used are the columns that have something to say about any of the counts. A group is shown whole or not at all.
func used(counts ...*Counts) []column {
	groups := map[string]bool{}
	for _, col := range columns {
		for _, c := range counts {
			if col.value(c) != 0 {
				groups[col.key()] = true
			}
		}
	}
	var list []column
	for _, col := range columns {
		if groups[col.key()] {
			list = append(list, col)
		}
	}
	return list
}

// key is what columns have in common that are shown together.
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
	case c.places > 0:
		return strconv.FormatFloat(v, 'f', c.places, 64)
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
