package gpublas

// SetStrip has GemmTopK take strips of the least size.
func (h *Handle[T]) SetStrip() { h.strip = 0 }
