package cudadev

import (
	"context"
	"fmt"
	"testing"
)

// stagingVariant is a choice of the constants of staging.go.
type stagingVariant struct{ workers, chunk, least int }

// BenchmarkStaging is copies of ordinary memory with other choices than the constants, which are
// the first.
func BenchmarkStaging(b *testing.B) {
	g, _ := open(b)
	const most = 256 << 20
	addr, err := g.Alloc(most)
	must(b, err)
	defer g.Retire(addr)
	s, err := g.NewStream()
	must(b, err)
	ctx, host := context.Background(), make([]byte, most)
	for i := range host {
		host[i] = byte(i)
	}
	for _, v := range stagingVariants() {
		g.staging.close(g)
		v.set(&g.staging)
		for _, n := range []int{16 << 20, 64 << 20, most} {
			run := func(name string, f func() error) {
				b.Run(fmt.Sprintf("%s/%dMiB/%v", name, n>>20, v), func(b *testing.B) {
					if err := f(); err != nil { // makes the chunks
						b.Fatal(err)
					}
					for b.Loop() {
						if err := f(); err != nil {
							b.Fatal(err)
						}
						if err := s.Wait(ctx); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
				})
			}
			run("in", func() error { return s.CopyIn(ctx, addr, host[:n]) })
			run("out", func() error { return s.CopyOut(ctx, host[:n], addr, nil) })
		}
	}
}

// stagingVariants changes one or two of the constants at a time.
func stagingVariants() []stagingVariant {
	chosen := stagingVariant{copyWorkers, largeChunk, leastPiece}
	list := []stagingVariant{chosen}
	add := func(change func(v *stagingVariant)) {
		v := chosen
		change(&v)
		list = append(list, v)
	}
	for _, n := range []int{4, 5, 8, 12} {
		add(func(v *stagingVariant) { v.workers = n })
	}
	for _, n := range []int{1 << 20, 2 << 20, 8 << 20} {
		add(func(v *stagingVariant) { v.chunk = n })
	}
	add(func(v *stagingVariant) { v.least = 128 << 10 })
	add(func(v *stagingVariant) { v.least = v.chunk })
	return list
}

func (v stagingVariant) set(p *stagingPool) {
	p.workers, p.large.size, p.least = v.workers, v.chunk, v.least
}

func (v stagingVariant) String() string {
	return fmt.Sprintf("workers=%d/chunk=%dKiB/least=%dKiB", v.workers, v.chunk>>10, v.least>>10)
}
