package main

import (
	"fmt"
	"math"
	"strings"
)

// What things cost, in dollars. They are assumptions, near what clouds ask for on demand.
const (
	coreHour    = 0.04  // of a processor's core with memoryCore
	memoryCore  = 4e9   // bytes of memory that come with a core
	objectMonth = 0.023 // of 10^9 bytes in an object store
	hoursMonth  = 730
)

// collections are the numbers of documents that the tables are of. The first was built.
var collections = []float64{1e7, 1e8, 1e9}

// shardSizes are documents of a shard that the tables compare. The first was served.
var shardSizes = []float64{1.25e6, 5e6, 10e6}

// tables returns the tables in Markdown, each by its name.
func (r *rates) tables() map[string]string {
	return map[string]string{"building": r.building(), "answering": r.answering(), "waiting": r.waiting()}
}

// building says for each collection how long its jobs work, how many bytes it has, and the money.
func (r *rates) building() string {
	var b strings.Builder
	b.WriteString("| documents | core-hours to build | dollars | sealing | bytes | memory to serve | dollars a month to keep and to serve |\n|---|---|---|---|---|---|---|\n")
	for _, n := range collections {
		hours := n * (r.indexing + r.merging) / 3600
		shards := math.Ceil(n / r.size * 4) // jobs write shards of a quarter of the size
		memory := n * r.resident
		month := n*r.bytes/1e9*objectMonth + memory/memoryCore*coreHour*hoursMonth
		fmt.Fprintf(&b, "| %s | %s | %s | %s s | %s | %s | %s |\n",
			power(n), figure(hours), figure(hours*coreHour), figure(shards*r.sealing), bytesOf(n*r.bytes), bytesOf(memory), figure(month))
	}
	return b.String()
}

// answering compares sizes of shards: the time that all shards spend on a query of 3 words.
func (r *rates) answering() string {
	var b strings.Builder
	b.WriteString("| documents | of a shard | shards | time of all shards and the front for a query | the front's part | queries a second on the cores that come with the memory |\n|---|---|---|---|---|---|\n")
	for _, n := range collections {
		for _, size := range shardSizes {
			shards := math.Ceil(n / size)
			work := shards * (r.answer(size) + r.fronting)
			cores := n * r.resident / memoryCore
			fmt.Fprintf(&b, "| %s | %s million | %s | %s ms | %s ms | %s |\n",
				power(n), fmt.Sprint(size/1e6), figure(shards), figure(work), figure(shards*r.fronting), figure(cores*1000/work))
		}
	}
	return b.String()
}

// waiting compares numbers of shards: how long a front waits for the slowest one.
func (r *rates) waiting() string {
	var b strings.Builder
	b.WriteString("| shards | median | p99 | p99.9 | hedged: median | p99 | p99.9 |\n|---|---|---|---|---|---|---|\n")
	for _, shards := range []int{1, int(r.serving), 80, 200, 800} {
		plain, hedged := r.shard.wait(shards, false), r.shard.wait(shards, true)
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s | %s |\n", shards,
			figure(plain.median), figure(plain.p99), figure(plain.p999), figure(hedged.median), figure(hedged.p99), figure(hedged.p999))
	}
	fmt.Fprintf(&b, "| %g, measured | %s | %s | | | | |\n", r.serving, figure(r.slowest.Median), figure(r.slowest.P99))
	return b.String()
}

// figure prints two digits of a number that is known to no more.
func figure(x float64) string {
	if x >= 100 {
		unit := math.Pow(10, math.Floor(math.Log10(x))-1)
		return fmt.Sprintf("%.0f", math.Round(x/unit)*unit)
	}
	return fmt.Sprintf("%.2g", x)
}

// power prints a power of ten.
func power(x float64) string { return fmt.Sprintf("10^%.0f", math.Log10(x)) }

// bytesOf prints a number of bytes.
func bytesOf(x float64) string {
	if x < 1e12 {
		return figure(x/1e9) + " GB"
	}
	return figure(x/1e12) + " TB"
}
