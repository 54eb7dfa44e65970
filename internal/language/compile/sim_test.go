package compile_test

import (
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/message"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// folder reads the package in a folder.
func folder(t *testing.T, dir string) *compile.Source {
	t.Helper()
	names, err := filepath.Glob(dir + "/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	src := &compile.Source{Path: "example.com/" + path.Base(dir), Name: path.Base(dir)}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src.Files = append(src.Files, compile.File{Name: name, Text: text})
	}
	return src
}

// A device is a compiled package on a simulator.
type device struct {
	machine *sim.Machine
	program *sim.Program
	last    abi.FaultRecord // of the last launch
}

func newDevice(t *testing.T, r *compile.Result) *device {
	t.Helper()
	m := sim.New(sim.Config{Memory: 64 << 20})
	p, err := m.Load(r.PTX)
	if err != nil {
		t.Fatal(err)
	}
	return &device{machine: m, program: p}
}

// config is a launch. A size of 0 stands for 1.
type config struct {
	grid, block [3]int
	shared      int
}

// launch runs a kernel with Go values as arguments: slices, which it copies in and out, and others,
// which it passes as they are in memory. It returns the message of the recorded failure, or "".
func (d *device) launch(t *testing.T, inst compile.Instance, c config, args ...any) string {
	t.Helper()
	entry, err := d.program.Entry(inst.PTXName)
	if err != nil {
		t.Fatal(err)
	}
	params, next := make([]byte, entry.ParamSize), 0
	add := func(b []byte) {
		copy(params[entry.Params[next].Offset:], b)
		next++
	}
	number := func(x uint64) { add(bytesAt(unsafe.Pointer(&x), 8)) }
	var copies [][2][]byte
	var parts []reflect.Value
	for _, a := range args {
		p := reflect.New(reflect.TypeOf(a))
		p.Elem().Set(reflect.ValueOf(a))
		parts = appendParts(parts, p.Elem())
	}
	for _, v := range parts {
		if v.Kind() != reflect.Slice {
			add(bytesAt(v.Addr().UnsafePointer(), int(v.Type().Size())))
			continue
		}
		host := bytesAt(v.UnsafePointer(), v.Len()*int(v.Type().Elem().Size()))
		addr, mem := d.alloc(t, int64(len(host)))
		defer d.machine.Free(addr)
		copy(mem, host)
		copies = append(copies, [2][]byte{host, mem})
		number(addr)
		number(uint64(v.Len()))
	}
	addr, record := d.alloc(t, abi.FaultSize)
	defer d.machine.Free(addr)
	clear(record)
	if inst.Fault {
		number(addr)
	}
	for i := range 3 {
		c.grid[i], c.block[i] = max(c.grid[i], 1), max(c.block[i], 1)
	}
	if _, err = d.machine.Launch(t.Context(), entry, sim.Launch{Grid: c.grid, Block: c.block,
		Shared: entry.Module.DeclaredShared(entry.Name) + c.shared, Params: params}); err != nil {
		t.Fatal(err)
	}
	for _, c := range copies {
		copy(c[0], c[1])
	}
	d.last = abi.DecodeFault(record)
	return d.failure(t, d.last)
}

// appendParts takes apart what holds slices.
func appendParts(parts []reflect.Value, v reflect.Value) []reflect.Value {
	switch {
	case v.Kind() == reflect.Struct && holdsSlice(v.Type()):
		for f, part := range v.Fields() {
			if f.Name != "_" {
				parts = appendParts(parts, part)
			}
		}
		return parts
	case v.Kind() == reflect.Array && holdsSlice(v.Type()):
		for i := range v.Len() {
			parts = appendParts(parts, v.Index(i))
		}
		return parts
	}
	return append(parts, v)
}

func holdsSlice(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice:
		return true
	case reflect.Array:
		return holdsSlice(t.Elem())
	case reflect.Struct:
		return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return holdsSlice(f.Type) })
	}
	return false
}

func bytesAt(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

func (d *device) alloc(t *testing.T, size int64) (uint64, []byte) {
	t.Helper()
	addr, err := d.machine.Alloc(size)
	if err != nil {
		t.Fatal(err)
	}
	mem, err := d.machine.Bytes(addr, size)
	if err != nil {
		t.Fatal(err)
	}
	return addr, mem
}

// failure is the message of a fault record, "" if there is none.
func (d *device) failure(t *testing.T, r abi.FaultRecord) string {
	t.Helper()
	if r.State == abi.FaultFree {
		return ""
	}
	if r.State != abi.FaultWritten || r.Line == 0 || r.Col == 0 {
		t.Errorf("bad fault record %+v", r)
	}
	msg := ""
	for r.Msg != 0 {
		b, err := d.machine.Bytes(r.Msg+uint64(len(msg)), 1)
		if err != nil {
			t.Fatal(err)
		}
		if b[0] == 0 {
			break
		}
		msg += string(b)
	}
	return message.Of(r, msg, nil)
}
