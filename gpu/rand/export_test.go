package rand

// Unit32 is what Float32 makes of a word.
func Unit32(w uint32) float32 { return unit32(w) }

// Norm32 and its like are what NormFloat32 and its like make of words.
var (
	Norm32   = norm32
	Norm64   = norm64
	NormPair = normPair
	Exp32    = exp32
	Exp64    = exp64
)
