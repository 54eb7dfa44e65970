package gputest_test

import (
	_ "embed"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

// TestSynchronization expects what is wrong with the kernels of testdata/sync.go, and nothing of
// the others.
func TestSynchronization(t *testing.T) {
	src := compiletest.Source("example.com/sync", "sync.go", syncGo)
	r, err := compile.Compile(src, compiletest.Importer(t), compile.Options{})
	must(t, err)
	pedantic := []gridstride.Option{gputest.Pedantic()}
	for _, c := range []struct {
		kernel         string
		threads, first int
		options        []gridstride.Option
		want           []gputest.Finding
	}{
		{"TwoCalls", 64, 32, nil, []gputest.Finding{{Kind: "barrier", Cause: "two barriers", At: []string{"sync.go:5", "sync.go:5"}}}},
		{"TwoCalls", 64, 64, nil, nil},
		{"DeadLane", 32, 8, nil, []gputest.Finding{{Kind: "warp-sync", Cause: "shuffle reads a lane", At: []string{"sync.go:29:9", "sync.go:29:2"}}}},
		{"DeadLane", 32, 32, nil, nil},
		{"LiveLane", 32, 8, nil, nil},
		{"Handover", 64, 32, nil, nil},
		{"Handover", 64, 32, pedantic, []gputest.Finding{{Kind: "race", Cause: "acquire fence missing after a flag", At: []string{"sync.go:53", "sync.go:59"}}}},
		{"Returns", 64, 33, nil, nil},
		{"Returns", 64, 33, pedantic, []gputest.Finding{{Kind: "barrier", Cause: "threads returned before the barrier"}}},
		{"Returns", 64, 64, pedantic, nil},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			if c.want != nil {
				gputest.Expect(t, c.want...)
			}
			dev := gputest.Device(t, c.options...)
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
