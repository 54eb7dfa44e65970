package decode

import (
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// markProducts marks the instructions of a function that have to do with products of warpgroups. Another
// kernel's instructions may be the same and in use, so it writes nothing twice.
func markProducts(sites []*event.Site) {
	used := map[int]bool{}
	for _, s := range sites {
		if s.Does.Agent != ptx.ProductAgent {
			continue
		}
		for _, list := range [][]int{s.Reads, s.Writes} {
			for _, reg := range list {
				used[reg] = true
			}
		}
	}
	for _, s := range sites {
		if !s.Product && (s.Does.Agent == ptx.ProductAgent || uses(s.Reads, used) || uses(s.Writes, used)) {
			s.Product = true
		}
	}
}

func uses(list []int, used map[int]bool) bool {
	for _, reg := range list {
		if used[reg] {
			return true
		}
	}
	return false
}
