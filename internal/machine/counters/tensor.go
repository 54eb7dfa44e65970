package counters

import (
	"fmt"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// stepOf returns what an instruction of PTX adds to the counts each time that a warp runs it.
func stepOf(in *ptx.Instr) Counts {
	c := Counts{Instructions: 1}
	if in == nil {
		return c
	}
	switch in.Effects().Kind {
	case ptx.Multiplies:
		c.TensorInstructions, c.TensorMultiplyAdds = 1, multiplyAdds(in)
		c.Operations = tensorOperations(in)
	case ptx.Awaits:
		c.CopyWaits = 1
	}
	return c
}

// multiplyAdds is how many multiply-adds of a product are a warp's: all of mma and wmma, and a
// quarter of wgmma, which four warps run together.
func multiplyAdds(in *ptx.Instr) uint64 {
	for _, mod := range in.Mods {
		var m, n, k uint64
		if _, err := fmt.Sscanf(mod, "m%dn%dk%d", &m, &n, &k); err != nil {
			continue
		}
		if in.Effects().Meets == ptx.MeetWarpgroup {
			m /= event.Warpgroup
		}
		return m * n * k
	}
	return 0
}
