package gputest_test

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

// TestCollective expects the kernel's call of a collective that part of the block does not come to,
// not the barriers that are in it.
func TestCollective(t *testing.T) {
	src := compiletest.Source("example.com/collectives", "collectives.go", collectivesGo)
	r, err := compile.Compile(src, compiletest.Importer(t, collectivePackage(t)), compile.Options{})
	must(t, err)
	for _, c := range []struct {
		kernel         string
		threads, first int
		want           []gputest.Finding
	}{
		{"Part", 64, 32, []gputest.Finding{
			{Kind: "barrier", At: []string{"collectives.go:15"}}, {Kind: "uninitialized"}, // the other warp has no result
		}},
		{"Part", 64, 64, nil},
		{"TwoParts", 64, 32, []gputest.Finding{{Kind: "barrier", At: []string{"collectives.go:26", "collectives.go:28"}}}},
		{"TwoParts", 64, 64, nil},
		{"PartOfWarp", 32, 16, []gputest.Finding{{Kind: "warp-sync", At: []string{"collectives.go:39"}}}},
		{"PartOfWarp", 32, 32, nil},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			p := &probe{TB: t}
			if c.want != nil {
				gputest.Expect(p, c.want...)
			}
			dev := gputest.Device(p)
			m, err := dev.Load("collectives.ptx", r.PTX.String())
			must(t, err)
			k, err := m.Kernel(c.kernel)
			must(t, err)
			out, err := gridstride.Make[int32](dev, c.threads)
			must(t, err)
			args := k.Args()
			gridstride.ArgBuffer(args, out)
			gridstride.ArgValue(args, c.first)
			must(t, args.Launch(dev.Stream(), gridstride.Grid(1).Block(c.threads)))
			must(t, dev.Stream().Wait(t.Context()))
			must(t, out.Free())
			text := gputest.Report(p)
			if got := p.end(); got != "" {
				t.Error(got)
			}
			if n := strings.Count(text, "fix "); n != len(c.want) || n > 0 && !strings.Contains(text, "collectives.go") {
				t.Errorf("%d findings:\n%s", n, text)
			}
		})
	}
}

//go:embed testdata/collectives.go
var collectivesGo string

// collectivePackage is gpu/collective.
func collectivePackage(t *testing.T) *compile.Source {
	t.Helper()
	names, err := filepath.Glob("../gpu/collective/*.go")
	must(t, err)
	src := &compile.Source{Path: "github.com/gridstride/gridstride/gpu/collective", Name: "collective"}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		must(t, err)
		src.Files = append(src.Files, compile.File{Name: filepath.ToSlash(strings.TrimPrefix(name, "../")), Text: text})
	}
	return src
}
