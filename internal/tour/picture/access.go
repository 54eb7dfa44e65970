package picture

import (
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/counters"
)

// Access has the accesses of one warp instruction.
type Access struct {
	At    int    `json:"at"` // the warp's clock
	Block int    `json:"block"`
	Warp  int    `json:"warp"`
	Line  int    `json:"line"`
	Kind  string `json:"kind"` // read, write or atomic
	Space string `json:"space"`
	// Buffer is the buffer of global memory that the first lane accesses, as an index of
	// Pictures.Buffers; -1 if it is none, and of shared memory.
	Buffer int    `json:"buffer"`
	Size   int    `json:"size"` // bytes a lane
	Lanes  uint32 `json:"lanes"`
	// Offsets are the places that the lanes of Lanes access, in order of the lanes: bytes from the start
	// of the buffer, or of shared memory. Without a buffer they count from the lowest sector.
	Offsets []int64 `json:"offsets"`
	// Groups are the parts of memory that are touched, in order. Of global memory they are sectors, by
	// offset, and of shared memory the words of each bank that is touched.
	Groups []Group `json:"groups"`
	// Cost is the number of sectors or of passes, and Ideal the fewest for as many bytes.
	Cost  int `json:"cost"`
	Ideal int `json:"ideal"`
}

// Group is a sector with the lanes that access it, or a bank with the different words that lanes want
// of it.
type Group struct {
	At    int64    `json:"at"`    // a sector's offset in bytes, or a bank's number
	Lanes uint32   `json:"lanes"` // that touch it
	Words []uint64 `json:"words,omitempty"`
}

// global describes an access to global memory.
func (a *Access) global(addrs *[abi.WarpSize]uint64, buffers []Buffer) {
	a.Space = "global"
	a.Cost, a.Ideal = counters.Sectors(a.Lanes, addrs, a.Size)
	first := addrs[bits.TrailingZeros32(a.Lanes)]
	a.Buffer = slices.IndexFunc(buffers, func(b Buffer) bool { return first >= b.Addr && first-b.Addr < b.Size })
	base := ^uint64(0)
	if a.Buffer >= 0 {
		base = buffers[a.Buffer].Addr
	} else {
		eachLane(a.Lanes, func(lane int) { base = min(base, addrs[lane]/counters.SectorSize*counters.SectorSize) })
	}
	sectors := map[int64]uint32{}
	eachLane(a.Lanes, func(lane int) {
		a.Offsets = append(a.Offsets, int64(addrs[lane]-base))
		for k := uint64(0); k < uint64(a.Size); k += counters.SectorSize {
			sector := int64((addrs[lane]+k)/counters.SectorSize*counters.SectorSize - base)
			sectors[sector] |= 1 << lane
		}
	})
	for at, lanes := range sectors {
		a.Groups = append(a.Groups, Group{At: at, Lanes: lanes})
	}
	slices.SortFunc(a.Groups, byPlace)
}

// shared describes an access to shared memory.
func (a *Access) shared(addrs *[abi.WarpSize]uint64) {
	a.Space, a.Buffer = "shared", -1
	a.Cost, a.Ideal = counters.SharedPasses(a.Lanes, addrs, a.Size)
	banks := map[int64]*Group{}
	eachLane(a.Lanes, func(lane int) {
		a.Offsets = append(a.Offsets, int64(addrs[lane]))
		for k := range uint64(max(a.Size/4, 1)) {
			word := addrs[lane]/4 + k
			bank := int64(word % counters.Banks)
			if banks[bank] == nil {
				banks[bank] = &Group{At: bank}
			}
			b := banks[bank]
			b.Lanes |= 1 << lane
			if !slices.Contains(b.Words, word) {
				b.Words = append(b.Words, word)
			}
		}
	})
	for _, b := range banks {
		slices.Sort(b.Words)
		a.Groups = append(a.Groups, *b)
	}
	slices.SortFunc(a.Groups, byPlace)
}

func byPlace(x, y Group) int {
	if x.At < y.At {
		return -1
	}
	return 1
}

// eachLane calls do for each lane of a mask.
func eachLane(lanes uint32, do func(lane int)) {
	for m := lanes; m != 0; m &= m - 1 {
		do(bits.TrailingZeros32(m))
	}
}
