package device

import (
	"sync"
	"sync/atomic"
)

// Table numbers the objects of a backend, so that its interface can name them by small values. It
// is safe for concurrent use, and At takes no lock. The zero Table is empty.
type Table[ID ~uint32, T any] struct {
	rows atomic.Pointer[[]atomic.Pointer[T]]

	mu   sync.Mutex
	used int
	free []ID // numbers that were given back
}

// Add gives an object a number.
func (t *Table[ID, T]) Add(v *T) ID {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.free); n > 0 {
		id := t.free[n-1]
		t.free = t.free[:n-1]
		(*t.rows.Load())[id].Store(v)
		return id
	}
	rows := t.rows.Load()
	if rows == nil || t.used == len(*rows) {
		rows = t.grow(rows)
	}
	id := ID(t.used)
	t.used++
	(*rows)[id].Store(v)
	return id
}

// grow makes room. Who reads the old rows finds there what they held. It needs t.mu.
func (t *Table[ID, T]) grow(old *[]atomic.Pointer[T]) *[]atomic.Pointer[T] {
	rows := make([]atomic.Pointer[T], max(16, 2*t.used))
	for i := range t.used {
		rows[i].Store((*old)[i].Load())
	}
	t.rows.Store(&rows)
	return &rows
}

// At is the object of a number that was not given back.
func (t *Table[ID, T]) At(id ID) *T { return (*t.rows.Load())[id].Load() }

// Remove gives a number back. Another object may have it from now on.
func (t *Table[ID, T]) Remove(id ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	(*t.rows.Load())[id].Store(nil)
	t.free = append(t.free, id)
}
