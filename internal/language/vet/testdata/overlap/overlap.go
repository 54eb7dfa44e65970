// Package overlap launches kernels with buffers that overlap.
package overlap

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/language/vet/testdata/blur"
)

func inPlace(s *gridstride.Stream, cfg gridstride.Config, x, y gridstride.Buffer[float32], scale *blur.ScaleKernel[float32], fours *blur.FoursKernel,
	reverse *blur.ReverseKernel, total *blur.TotalKernel, sums *blur.SumsKernel, product *blur.ProductKernel, gather *blur.GatherKernel) error {
	scale.Launch(s, cfg, x, x, 2)
	scale.Launch(s, cfg, x.Slice(1, 10), x.Slice(1, 10), 2)
	fours.Launch(s, cfg, x, x)
	reverse.Launch(s, cfg, x, x)
	total.Launch(s, cfg, x, x)
	sums.Launch(s, gridstride.Grid(1).Block(256), x, x)
	product.Launch(s, cfg, x, x, y, 10)
	gather.Launch(s, cfg, x, x)
	return scale.Launch(s, cfg, x, y, 2)
}

func wrong(s *gridstride.Stream, cfg gridstride.Config, x, y gridstride.Buffer[float32], n int, scale *blur.ScaleKernel[float32], mix *blur.BlurKernel[float32],
	sums *blur.SumsKernel, product *blur.ProductKernel) error {
	mix.Launch(s, cfg, x, x)                                // want "^x and y of kernel Blur overlap here, and one thread reads x\\[i\\+1\\] where another writes y\\[i\\]: give it two buffers$"
	mix.Launch(s, cfg, x, x.Slice(0, 10))                   // want "one thread reads x\\[i\\+1\\]"
	scale.Launch(s, cfg, x, x.Slice(1, n), 2)               // want "^x and y of kernel Scale overlap here, and one thread reads x\\[i\\] where another writes y\\[i\\]"
	scale.Launch(s, cfg, x.Slice(0, 10), x.Slice(9, 19), 2) // want "overlap here"
	scale.Launch(s, cfg, x.Slice(0, 10), x.Slice(10, 20), 2)
	scale.Launch(s, cfg, x.Slice(0, n), x.Slice(n, 2*n), 2)
	sums.Launch(s, cfg, x, x)                           // want "one thread reads x\\[i\\] where another writes sums\\[gpu.BlockIdx.X\\]"
	sums.Launch(s, gridstride.Grid(2).Block(256), x, x) // want "x and sums of kernel Sums overlap"
	product.Launch(s, cfg, x, y, x, n)                  // want "^a and c of kernel Product overlap here, and one thread reads a\\[row\\*n\\+k\\] where another writes c\\[row\\*n\\+col\\]"
	product.Launch(s, cfg, y, x, x, n)                  // want "b and c of kernel Product overlap"
	z := x
	return mix.Launch(s, cfg, x, z) // want "overlap here"
}

type pair struct{ old, new gridstride.Buffer[float64] }

func steps(s *gridstride.Stream, cfg gridstride.Config, p *pair, mix *blur.BlurKernel[float64]) {
	for range 10 {
		mix.Launch(s, cfg, p.old, p.new)
		p.old, p.new = p.new, p.old
	}
	mix.Launch(s, cfg, p.old, p.old) // want "overlap here"
	old := p.old
	p.old = p.new
	mix.Launch(s, cfg, old, p.old)
	x, y := p.old, p.new
	for range 10 {
		mix.Launch(s, cfg, x, y)
		x, y = y, x
	}
	func() {
		mix.Launch(s, cfg, x, y)
		mix.Launch(s, cfg, x, x)                         // want "overlap here"
		mix.Launch(s, cfg, x.Slice(0, 4), x.Slice(2, 6)) // want "overlap here"
	}()
}
