package counters

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
)

// stepOf is what an instruction of PTX adds to the counts each time that a warp runs it.
func stepOf(in *ptx.Instr) Counts {
	c := Counts{Instructions: 1}
	if in == nil {
		return c
	}
	switch has := func(mod string) bool { return slices.Contains(in.Mods, mod) }; {
	case in.Op == "mma", in.Op == "wmma" && has("mma"), in.Op == "wgmma" && has("mma_async"):
		c.TensorInstructions, c.TensorMultiplyAdds = 1, multiplyAdds(in)
	case has("wait_group"), in.Op == "cp" && has("wait_all"), in.Op == "mbarrier" && (has("test_wait") || has("try_wait")):
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
		if in.Op == "wgmma" {
			m /= sim.Warpgroup
		}
		return m * n * k
	}
	return 0
}
