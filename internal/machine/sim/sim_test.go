package sim

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/ptx"
)

// rig is a machine with a module for tests.
type rig struct {
	t testing.TB
	m *Machine
	p *Program
}

const header = ".version 8.0\n.target sm_90\n.address_size 64\n"

// newRig loads PTX text, with a header put before it unless it has one.
func newRig(t testing.TB, text string, cfg Config) *rig {
	t.Helper()
	return newRigWith(t, text, cfg, New(cfg).engine)
}

// newRigWith is newRig with another engine, nil for the interpreter.
func newRigWith(t testing.TB, text string, cfg Config, e engine) *rig {
	t.Helper()
	if !bytes.Contains([]byte(text), []byte(".version")) {
		text = header + text
	}
	m := New(cfg)
	m.engine = e
	p, err := m.Load(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t, m, p}
}

func parse(t testing.TB, text string) *ptx.Module {
	t.Helper()
	mod, err := ptx.Parse(t.Name()+".ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

func rigFile(t testing.TB, name string, cfg Config) *rig {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return newRig(t, string(text), cfg)
}

// upload copies a slice to fresh device memory.
func upload[T any](r *rig, data []T) uint64 {
	r.t.Helper()
	n := int64(len(data)) * int64(unsafe.Sizeof(*new(T)))
	addr, err := r.m.Alloc(n)
	if err != nil {
		r.t.Fatal(err)
	}
	copy(view[T](r, addr, len(data)), data)
	return addr
}

// view is device memory as a slice.
func view[T any](r *rig, addr uint64, n int) []T {
	r.t.Helper()
	b, err := r.m.Bytes(addr, int64(n)*int64(unsafe.Sizeof(*new(T))))
	if err != nil {
		r.t.Fatal(err)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// params packs kernel arguments as the entry lays them out.
func (r *rig) params(e *Entry, args ...any) []byte {
	r.t.Helper()
	if len(args) != len(e.Params) {
		r.t.Fatalf("%s has %d parameters, not %d", e.Name, len(e.Params), len(args))
	}
	b := make([]byte, e.ParamSize)
	for i, a := range args {
		var buf bytes.Buffer
		if n, ok := a.(int); ok {
			a = uint64(n)
		}
		if err := binary.Write(&buf, binary.LittleEndian, a); err != nil {
			r.t.Fatal(err)
		}
		copy(b[e.Params[i].Offset:e.Params[i].Offset+e.Params[i].Size], buf.Bytes())
	}
	return b
}

// launch runs a kernel with a one-dimensional grid and block.
func (r *rig) launch(name string, grid, block int, args ...any) error {
	r.t.Helper()
	_, err := r.launchAs(name, Launch{Grid: [3]int{grid, 1, 1}, Block: [3]int{block, 1, 1}}, args...)
	return err
}

func (r *rig) launchAs(name string, l Launch, args ...any) (Stats, error) {
	r.t.Helper()
	e, err := r.p.Entry(name)
	if err != nil {
		r.t.Fatal(err)
	}
	l.Params = r.params(e, args...)
	return r.m.Launch(context.Background(), e, l)
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}
