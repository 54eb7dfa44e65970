package onepass

// At is the index of the i-th of the rest in x and in y.
func (r *Rest) At(i int) (x, y int) {
	place := r.place(i)
	return r.X + place*r.IncX, r.Y + place*r.IncY
}
