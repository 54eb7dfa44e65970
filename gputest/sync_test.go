package gputest_test

import (
	_ "embed"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/compile"
	"github.com/gridstride/gridstride/internal/compile/compiletest"
)

// TestSynchronization expects what is wrong with the kernels of testdata/sync.go, and nothing of
// the others.
func TestSynchronization(t *testing.T) {
	src := compiletest.Source("example.com/sync", "sync.go", syncGo)
	r, err := compile.Compile(src, compiletest.Importer(t), compile.Options{})
	must(t, err)
	for _, c := range []struct {
		kernel         string
		threads, first int
		want           []gputest.Finding
	}{
		{"TwoCalls", 64, 32, []gputest.Finding{{Kind: "barrier", Cause: "two barriers", At: []string{"sync.go:5", "sync.go:5"}}}},
		{"TwoCalls", 64, 64, nil},
		{"DeadLane", 32, 8, []gputest.Finding{{Kind: "warp-sync", Cause: "shuffle reads a lane", At: []string{"sync.go:29:9", "sync.go:29:2"}}}},
		{"DeadLane", 32, 32, nil},
		{"LiveLane", 32, 8, nil},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			if c.want != nil {
				gputest.Expect(t, c.want...)
			}
			dev := gputest.Device(t)
			m, err := dev.Load("sync.ptx", r.PTX.String())
			must(t, err)
			k, err := m.Kernel(c.kernel)
			must(t, err)
			x, err := gridstride.Make[int32](dev, c.threads)
			must(t, err)
			y, err := gridstride.Make[int32](dev, c.threads)
			must(t, err)
			s := dev.Stream()
			must(t, x.Zero(s))
			args := k.Args()
			gridstride.ArgBuffer(args, x)
			gridstride.ArgBuffer(args, y)
			gridstride.ArgValue(args, c.first)
			must(t, args.Launch(s, gridstride.Grid(1).Block(c.threads)))
			must(t, s.Wait(t.Context()))
			must(t, x.Free())
			must(t, y.Free())
		})
	}
}

//go:embed testdata/sync.go
var syncGo string
