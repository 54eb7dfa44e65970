package rand

// Unit32 is Float32's number for a word.
func Unit32(w uint32) float32 { return unit32(w) }

// Norm32 and its like are the numbers of NormFloat32 and its like for words.
var (
	Norm32   = norm32
	Norm64   = norm64
	NormPair = normPair
	Exp32    = exp32
	Exp64    = exp64
)
