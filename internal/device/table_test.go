package device

import (
	"sync"
	"testing"
)

// TestTable numbers objects, gives numbers back and out again, and looks objects up meanwhile.
func TestTable(t *testing.T) {
	t.Parallel()
	var table Table[KernelID, int]
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			ids := map[KernelID]int{}
			for i := range 1000 {
				v := g*1000 + i
				ids[table.Add(&v)] = v
				for id, want := range ids {
					if got := table.At(id); got == nil || *got != want {
						t.Errorf("number %d is %v, want %d", id, got, want)
						return
					}
					if i%3 == 0 || len(ids) > 20 {
						table.Remove(id)
						delete(ids, id)
					}
				}
			}
		})
	}
	wg.Wait()
	if n := len(*table.rows.Load()); n > 256 {
		t.Errorf("%d rows for at most 84 objects: numbers that were given back are not given out again", n)
	}
}
