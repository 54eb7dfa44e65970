package gputest_test

import (
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

// TestFailedChecksOfBlocks has threads of several warps and blocks fail a check of Go's. That is
// one finding, and how they then come to the fault record is none.
func TestFailedChecksOfBlocks(t *testing.T) {
	t.Parallel()
	src := compiletest.Source("example.com/over", "over.go", `package over

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Over(out []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	out[i] = 1
}
`)
	r, err := compile.Compile(src, compiletest.Importer(t), compile.Options{})
	must(t, err)
	for _, blocks := range []int{1, 2, 5} {
		for _, options := range [][]gridstride.Option{nil, {gputest.Pedantic()}} {
			p := &probe{TB: t}
			gputest.Expect(p, gputest.Finding{Kind: "out-of-bounds", At: []string{"over.go:8"}})
			dev := gputest.Device(p, options...)
			m, err := dev.Load("over.ptx", r.PTX.String())
			must(t, err)
			k, err := m.Kernel("Over")
			must(t, err)
			out, err := gridstride.Make[int32](dev, 1)
			must(t, err)
			args := k.Args()
			gridstride.ArgBuffer(args, out)
			must(t, args.Launch(dev.Stream(), gridstride.Grid(blocks).Block(65)))
			if err := dev.Stream().Wait(t.Context()); err == nil {
				t.Errorf("%d blocks: no error", blocks)
			}
			must(t, out.Free())
			if got := p.end(); got != "" {
				t.Errorf("%d blocks: %s", blocks, got)
			}
		}
	}
}
