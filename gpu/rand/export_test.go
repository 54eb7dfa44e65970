package rand

// Unit32 is what Float32 makes of a word.
func Unit32(w uint32) float32 { return unit32(w) }
