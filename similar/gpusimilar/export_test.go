package gpusimilar

// SearchRoughly has searches of any number of rows go by rough scores.
func (h *Handle) SearchRoughly() { h.alwaysRough = true }
