package layout

import "github.com/gridstride/gridstride/gpu/tile"

// Layout is a type that says how a factor lies in memory: AlongK is deep, and AcrossK is not. A
// kernel with Layouts as type parameters is compiled for each, so that the loops of one have no
// branches for another.
type (
	Layout  = tile.Layout
	AlongK  = tile.AlongK
	AcrossK = tile.AcrossK
)

// IsDeep reports whether factors of a layout are deep.
func IsDeep[L Layout]() bool {
	var l L
	return !l.Transposed()
}
