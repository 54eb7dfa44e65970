package engines

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
	"unsafe"

	"github.com/klauspost/compress/zstd"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
)

// rig is a machine with a module.
type rig struct {
	tb testing.TB
	m  *sim.Machine
	p  *sim.Program
}

func newRig(tb testing.TB, engine sim.Engine, workers int, mod *ptx.Module) *rig {
	tb.Helper()
	r := &rig{tb: tb, m: sim.New(sim.Config{Engine: engine, Workers: workers})}
	r.must(r.m.Err())
	var err error
	r.p, err = r.m.Load(mod)
	r.must(err)
	return r
}

func (r *rig) must(err error) {
	r.tb.Helper()
	if err != nil {
		r.tb.Fatal(err)
	}
}

// launch runs a kernel. The last arguments may be left out: they are zeros.
func (r *rig) launch(name string, l sim.Launch, args ...any) {
	r.tb.Helper()
	e, err := r.p.Entry(name)
	r.must(err)
	l.Params = make([]byte, e.ParamSize)
	for i, a := range args {
		var b bytes.Buffer
		if n, ok := a.(int); ok {
			a = uint64(n)
		}
		r.must(binary.Write(&b, binary.LittleEndian, a))
		copy(l.Params[e.Params[i].Offset:e.Params[i].Offset+e.Params[i].Size], b.Bytes())
	}
	_, err = r.m.Launch(r.tb.Context(), e, l)
	r.must(err)
}

// upload copies data to the machine, and returns the copy, too.
func upload[T any](r *rig, data []T) (addr uint64, at []T) {
	r.tb.Helper()
	size := int64(len(data)) * int64(unsafe.Sizeof(*new(T)))
	addr, err := r.m.Alloc(size)
	r.must(err)
	b, err := r.m.Bytes(addr, size)
	r.must(err)
	at = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(data))
	copy(at, data)
	return addr, at
}

// compiled is the module of a Go file.
func compiled(tb testing.TB, file string) *ptx.Module {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := compile.Compile(compiletest.Source("example.com/kernels", "kernels.go", string(text)), compiletest.Importer(tb), compile.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return parsed(tb, file, r.PTX.String())
}

func parsed(tb testing.TB, name, text string) *ptx.Module {
	tb.Helper()
	mod, err := ptx.Parse(name, text)
	if err != nil {
		tb.Fatal(err)
	}
	return mod
}

// module reads a file of PTX.
func module(tb testing.TB, file string) *ptx.Module {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err == nil && bytes.HasPrefix(text, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		var d *zstd.Decoder
		if d, err = zstd.NewReader(nil); err == nil {
			defer d.Close()
			text, err = d.DecodeAll(text, nil)
		}
	}
	if err != nil {
		tb.Fatal(err)
	}
	return parsed(tb, file, string(text))
}
