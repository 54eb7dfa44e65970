package ptx

import (
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// SpecialReg describes a special register. A vector one (%tid) has components %tid.x, %tid.y,
// %tid.z and %tid.w.
type SpecialReg struct {
	Name   string // of the whole register: "%tid"
	Type   Type
	Vector int
	Needs  Needs
}

// specialRegs are the special registers of the PTX ISA manual, chapter "Special Registers".
var specialRegs = func() map[string]*SpecialReg {
	table := map[string]*SpecialReg{}
	add := func(typ Type, vector int, v Version, sm int, names string) {
		for name := range strings.FieldsSeq(names) {
			name = "%" + name
			table[name] = &SpecialReg{Name: name, Type: typ, Vector: vector, Needs: Needs{v, abi.Target{SM: sm}}}
		}
	}
	base := Version{1, 0}
	add(U32, 4, base, 0, "tid ntid ctaid nctaid")
	add(U32, 0, base, 0, "laneid warpid nwarpid smid nsmid clock pm0 pm1 pm2 pm3")
	add(U64, 0, base, 0, "gridid")
	add(U32, 0, Version{2, 0}, 20, "lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt")
	add(U64, 0, Version{2, 0}, 20, "clock64")
	add(U32, 0, Version{5, 0}, 20, "clock_hi")
	add(U32, 0, Version{3, 0}, 20, "pm4 pm5 pm6 pm7")
	add(U64, 0, Version{4, 0}, 50, "pm0_64 pm1_64 pm2_64 pm3_64 pm4_64 pm5_64 pm6_64 pm7_64")
	add(U64, 0, Version{3, 1}, 30, "globaltimer")
	add(U32, 0, Version{3, 1}, 30, "globaltimer_lo globaltimer_hi")
	add(U32, 0, Version{4, 1}, 20, "total_smem_size dynamic_smem_size")
	add(U32, 0, Version{8, 1}, 90, "aggr_smem_size")
	add(U32, 4, Version{7, 8}, 90, "clusterid nclusterid cluster_ctaid cluster_nctaid")
	add(U32, 0, Version{7, 8}, 90, "cluster_ctarank cluster_nctarank")
	add(Pred, 0, Version{7, 8}, 90, "is_explicit_cluster")
	add(U64, 0, Version{8, 0}, 50, "current_graph_exec")
	for i := range 32 {
		add(B32, 0, base, 0, "envreg"+strconv.Itoa(i))
	}
	add(U32, 0, Version{7, 6}, 80, "reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap "+
		"reserved_smem_offset_0 reserved_smem_offset_1")
	return table
}()

// lookupSpecial resolves a special register or a component of one.
func lookupSpecial(name string) (Symbol, bool) {
	base, component, dotted := strings.Cut(name, ".")
	r, ok := specialRegs[base]
	if !ok {
		return Symbol{}, false
	}
	sym := Symbol{Kind: SpecialSymbol, Name: name, Type: r.Type, Vector: r.Vector, Special: r}
	if dotted {
		lane, ok := lanes[component]
		if !ok || lane >= r.Vector {
			return Symbol{}, false
		}
		sym.Vector = 0
	}
	return sym, true
}
