package perf

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/proof/mathtest"
	"github.com/gridstride/gridstride/internal/proof/mathtest/mathkernels"
	"github.com/gridstride/gridstride/internal/ptx"
)

// kinds are the kinds of kernels that the tests launch.
var kinds = []string{"map", "hash"}

// compileMathematics compiles kernels of some functions. The sources of package gpu are next to the
// tests, also on a machine without Go.
func compileMathematics(kinds []string, list ...*mathtest.Function) (string, error) {
	const gpu = "github.com/gridstride/gridstride/gpu"
	source := &compile.Source{Path: "kernels", Name: "kernels",
		Files: []compile.File{{Name: "kernels.go", Text: []byte(mathtest.Kernels(kinds, list...))}}}
	result, err := compile.Compile(source, func(path string) (*compile.Source, error) {
		switch path {
		case gpu:
			return folder(path, os.DirFS("../../../../gpu"))
		case mathtest.KernelsPath:
			return folder(path, mathtest.KernelsSources)
		case mathtest.TwofoldPath:
			return folder(path, mathtest.TwofoldSources)
		}
		return nil, compile.ErrStandard
	}, compile.Options{})
	if err != nil {
		return "", err
	}
	return result.PTX.String(), nil
}

// folder is the source of a package in a folder.
func folder(path string, files fs.FS) (*compile.Source, error) {
	names, err := fs.Glob(files, "*.go")
	if err != nil {
		return nil, err
	}
	src := &compile.Source{Path: path, Name: filepath.Base(path)}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		src.Files = append(src.Files, compile.File{Name: name, Text: text})
	}
	return src, nil
}

// tried is a function for one type, with its kernels on a device.
type tried[T float32 | float64] struct {
	*mathtest.Function
	dev    *gridstride.Device
	module *gridstride.Module
	r, s   mathkernels.Range[T]
}

func try[T float32 | float64](f *mathtest.Function, dev *gridstride.Device, module *gridstride.Module) *tried[T] {
	return &tried[T]{f, dev, module, rangeOf[T](f.Usual.X), rangeOf[T](f.Usual.Y)}
}

func rangeOf[T float32 | float64](i mathtest.Interval) mathkernels.Range[T] {
	return mathkernels.Range[T]{Low: T(i.Low), Width: T(i.High) - T(i.Low)}
}

func isSingle[T float32 | float64]() bool { return unsafe.Sizeof(T(0)) == 4 }

// host is the function on the host.
func (f *tried[T]) host(x, y T) T {
	if isSingle[T]() {
		return T(f.Single(float32(x), float32(y)))
	}
	return T(f.Double(float64(x), float64(y)))
}

// launch launches the kernel of a kind in a module, which may be another compiler's.
func (f *tried[T]) launch(module *gridstride.Module, kind string, cfg gridstride.Config, args ...any) error {
	k, err := module.Kernel(fmt.Sprintf("%s_%s_%T", f.Entry(), kind, T(0)))
	if err != nil {
		return err
	}
	return k.Launch(f.dev.Stream(), cfg, args...)
}

// ranges are the arguments of kernels that make their own.
func (f *tried[T]) ranges(args ...any) []any {
	if f.Pair {
		return append(args, f.r, f.s)
	}
	return append(args, f.r)
}

// arguments are those that are most likely to tell, and n random ones.
func (f *tried[T]) arguments(n int) (x, y []T) {
	x64, y64 := f.Arguments(isSingle[T](), n)
	for i := range x64 {
		x, y = append(x, T(x64[i])), append(y, T(y64[i]))
	}
	return x, y
}

// onDevice is the function at some arguments on the device.
func (f *tried[T]) onDevice(t testing.TB, x, y []T) []T {
	t.Helper()
	a, err := gridstride.CopyOf(f.dev, x)
	must(t, err)
	defer func() { must(t, a.Free()) }()
	b, err := gridstride.CopyOf(f.dev, y)
	must(t, err)
	defer func() { must(t, b.Free()) }()
	out, err := gridstride.Make[T](f.dev, len(x))
	must(t, err)
	defer func() { must(t, out.Free()) }()
	args := []any{a, out}
	if f.Pair {
		args = []any{a, b, out}
	}
	must(t, f.launch(f.module, "map", gridstride.Grid(min(4096, 1+len(x)/96)).Block(96), args...))
	z, err := out.Read(t.Context(), f.dev.Stream(), nil)
	must(t, err)
	return z
}

// compare compares device and host at some arguments, bit for bit except NaNs.
func (f *tried[T]) compare(t testing.TB, x, y []T) {
	t.Helper()
	for i, got := range f.onDevice(t, x, y) {
		want := f.host(x[i], y[i])
		if got == want && math.Signbit(float64(got)) == math.Signbit(float64(want)) || got != got && want != want {
			continue
		}
		t.Errorf("%s(%x, %x) of %T is %x on the device and %x on the host", f.Name, x[i], y[i], x[i], got, want)
		return
	}
}

// hashes are the hashes of count chunks of arguments from first on, on the device.
func (f *tried[T]) hashes(t testing.TB, first uint64, count, size int) []uint64 {
	t.Helper()
	out, err := gridstride.CopyOf(f.dev, make([]uint64, count))
	must(t, err)
	defer func() { must(t, out.Free()) }()
	must(t, f.launch(f.module, "hash", gridstride.Grid(min(count, 4096)).Block(256), f.ranges(out, first, size)...))
	hashes, err := out.Read(t.Context(), f.dev.Stream(), nil)
	must(t, err)
	return hashes
}

// hostHash is the hash of a chunk on the host.
func (f *tried[T]) hostHash(first uint64, size int) uint64 {
	var hash uint64
	for n := first; n < first+uint64(size); n++ {
		var y T
		if f.Pair {
			y = mathkernels.Argument(^n, f.s)
		}
		hash += mathkernels.Mix(f.host(mathkernels.Argument(n, f.r), y), n)
	}
	return hash
}

// compareMany compares the hashes of many chunks, and the chunk with the first other hash by
// argument.
func (f *tried[T]) compareMany(t testing.TB, count, size int) (points int64) {
	t.Helper()
	got := f.hashes(t, 0, count, size)
	var next, other atomic.Int64
	other.Store(-1)
	var work sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() {
			for i := next.Add(1) - 1; i < int64(count); i = next.Add(1) - 1 {
				if got[i] != f.hostHash(uint64(i)*uint64(size), size) {
					other.Store(i)
				}
			}
		})
	}
	work.Wait()
	if i := other.Load(); i >= 0 {
		t.Errorf("%s of %T: the hash of chunk %d differs", f.Name, T(0), i)
		x, y := make([]T, size), make([]T, size)
		for j := range x {
			n := uint64(i)*uint64(size) + uint64(j)
			x[j] = mathkernels.Argument(n, f.r)
			y[j] = mathkernels.Argument(^n, f.s)
		}
		f.compare(t, x, y)
	}
	return int64(count) * int64(size)
}

// TestMathematics compares each function in a kernel with the host's, at the arguments that are
// most likely to tell.
func TestMathematics(t *testing.T) {
	t.Parallel()
	for _, f := range mathtest.Functions {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			text, err := compileMathematics(kinds, &f)
			must(t, err)
			dev := open(t)
			module, err := dev.Load("mathematics.ptx", text)
			must(t, err)
			testFunction[float32](t, &f, dev, module)
			testFunction[float64](t, &f, dev, module)
		})
	}
}

func testFunction[T float32 | float64](t *testing.T, function *mathtest.Function, dev *gridstride.Device, module *gridstride.Module) {
	f := try[T](function, dev, module)
	x, y := f.arguments(100)
	f.compare(t, x, y)
	for _, n := range []int{0, 1, 31, 33} {
		f.compare(t, x[:n], y[:n])
	}
	f.compareMany(t, 3, 70)
	if isSingle[T]() && !f.Pair {
		f.r = mathkernels.Range[T]{}
		f.compareMany(t, 2, 40)
	}
}

// BenchmarkCompileMathematics is the time to compile a kernel that calls one function, and one that
// calls all.
func BenchmarkCompileMathematics(b *testing.B) {
	exp := mathtest.Find("Exp")
	all := *exp
	all.Source = "func(x T) T { return 0"
	for _, f := range mathtest.Functions {
		call := f.Source
		if call == "" {
			call = "gpu." + f.Name + "[T]"
		}
		if strings.HasPrefix(call, "func") {
			continue
		}
		if f.Pair {
			all.Source += " + " + call + "(x, 2)"
		} else {
			all.Source += " + " + call + "(x)"
		}
	}
	all.Source += " }"
	for name, f := range map[string]*mathtest.Function{"one": exp, "all": &all} {
		b.Run(name, func(b *testing.B) {
			kernels := 0
			for b.Loop() {
				text, err := compileMathematics([]string{"map"}, f)
				must(b, err)
				kernels += strings.Count(text, ".entry")
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(kernels), "ms/kernel")
		})
	}
}

// TestSizeOfExp holds a kernel that calls Exp once to 80 instructions more than one that does not, for
// each copy of the loop's body that unrolling makes.
func TestSizeOfExp(t *testing.T) {
	t.Parallel()
	exp := mathtest.Find("Exp")
	none := &mathtest.Function{Name: "None", Source: "func(x T) T { return x }"}
	text, err := compileMathematics([]string{"map"}, exp, none)
	must(t, err)
	module, err := ptx.Parse("kernels.ptx", text)
	must(t, err)
	for _, typ := range []string{"float32", "float64"} {
		all := func(*ptx.Instr) bool { return true }
		isLoad := func(i *ptx.Instr) bool { return i.Op == "ld" && i.Mods[0] == "global" } // one in each copy
		long, short := module.Kernel("Exp_map_"+typ).Body, module.Kernel("None_map_"+typ).Body
		with, without, copies := count(long, all), count(short, all), count(long, isLoad)
		t.Logf("%s: %d instructions, %d without Exp, %d copies of the loop", typ, with, without, copies)
		if grown := with - without; grown < 8 || grown > 80*copies {
			t.Errorf("%s: Exp adds %d instructions, want at most 80 for each of %d copies", typ, grown, copies)
		}
	}
}

// count counts the instructions that are so.
func count(b *ptx.Block, is func(*ptx.Instr) bool) (n int) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ptx.Instr:
			if is(s) {
				n++
			}
		case *ptx.Block:
			n += count(s, is)
		}
	}
	return n
}
