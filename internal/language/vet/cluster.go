package vet

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// clusterWide recognizes the index of a block over the cluster's size in the same dimension,
// BlockIdx.X/ClusterDim.X, which is the same for all blocks of a cluster. The size may be the one
// that the directive declares, as a constant.
func (u *uniformity) clusterWide(v *ssa.BinOp) bool {
	name, field := loaded(v.X)
	if v.Op != token.QUO || name != "BlockIdx" {
		return false
	}
	if name, other := loaded(v.Y); name == "ClusterDim" {
		return other == field
	}
	size, ok := constInt(v.Y)
	return ok && u.kernel != nil && field != "" && size == int64(u.kernel.Cluster[field[0]-'X'])
}

// loaded is the special register, and its field, that a value was loaded from; "" for others.
func loaded(v ssa.Value) (name, field string) {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return register(v.X)
		}
	case *ssa.Convert:
		return loaded(v.X)
	case *ssa.ChangeType:
		return loaded(v.X)
	}
	return "", ""
}
