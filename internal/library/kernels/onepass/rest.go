package onepass

// At is where the i-th of the rest lies in x and in y.
func (r *Rest) At(i int) (x, y int) {
	place := r.place(i)
	return r.X + place*r.IncX, r.Y + place*r.IncY
}
