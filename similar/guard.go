package similar

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// parallel calls work in n goroutines, the caller's among them, and waits for all. A panic of one
// reaches the caller when all have ended.
func parallel(n int, work func()) {
	var workers sync.WaitGroup
	var once sync.Once
	var fault any
	caught := func() {
		defer func() {
			if r := recover(); r != nil {
				once.Do(func() { fault = r })
			}
		}()
		work()
	}
	for range n - 1 {
		workers.Go(caught)
	}
	caught()
	workers.Wait()
	if fault != nil {
		panic(fault)
	}
}

// guarded calls what reads parts in goroutines of the package, where nobody could recover. Damage
// is found by checks, which give errors. Should one be missing, the panic becomes an error here.
func guarded(parts []*part, read func() error) (err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, ok := r.(runtime.Error); !ok {
			panic(r)
		}
		err = fmt.Errorf("similar: BUG: %v", r)
		for _, p := range parts {
			if p.File() != "" {
				err = &segment.Damaged{File: p.File(), What: fmt.Sprintf("reading it, or another file of the index, failed with %q", r)}
			}
		}
	}()
	return read()
}
