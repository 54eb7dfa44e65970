package gpublas

// SetStrip has TopKTo take strips of the least size.
func (h *Handle) SetStrip() { h.strip = 0 }
