package gridstride

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/tools/count"
)

// Launch queues a run of the kernel on s and returns before it has run. args are its arguments in
// order: a Buffer for each slice or pointer, a TextureObject or a
// SurfaceObject for each handle, numbers and bools of the parameter's size, structs and
// arrays. A struct or an array that holds Buffers stands for its fields or elements, one after the
// other. Generated launchers have the same method with the types of the Go function, checked by the
// compiler. This one checks them at run time.
//
// Errors: ErrArgument for a wrong number or type of arguments, a misaligned view or a nil stream,
// ErrFreed, ErrWrongDevice, ErrLimit for a grid, a block or an amount of shared memory that the
// kernel or the device does not allow, ErrClosed.
// What goes wrong in the kernel itself is returned by the next wait on s.
func (k *Kernel) Launch(s *Stream, cfg Config, args ...any) error {
	a := k.Args()
	for i, arg := range args {
		a.arg = i + 1
		a.any(arg)
	}
	return a.Launch(s, cfg)
}

// argument is implemented by every Buffer, TensorMap, TextureObject and SurfaceObject.
type argument interface{ addTo(a *Args) }

func (b Buffer[T]) addTo(a *Args) { ArgBuffer(a, b) }

var argumentType = reflect.TypeFor[argument]()

// holdsBuffer reports that a type is a struct or an array with a Buffer or a TensorMap in it.
func holdsBuffer(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && (t.Elem().Implements(argumentType) || holdsBuffer(t.Elem()))
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Type.Implements(argumentType) || holdsBuffer(f.Type) {
				return true
			}
		}
	}
	return false
}

// parts adds the fields or elements of a value that can be addressed. Those without a name or a
// size are no parameters.
func (a *Args) parts(v reflect.Value) {
	switch t := v.Type(); {
	case t.Implements(argumentType) || !holdsBuffer(t):
		a.any(reflect.NewAt(t, v.Addr().UnsafePointer()).Elem().Interface()) // also of a field that is not exported
	case t.Kind() == reflect.Array:
		for i := range v.Len() {
			a.parts(v.Index(i))
		}
	default:
		for f, part := range v.Fields() {
			if f.Name != "_" && f.Type.Size() > 0 {
				a.parts(part)
			}
		}
	}
}

// any adds an argument whose type is not known before.
func (a *Args) any(arg any) {
	if b, ok := arg.(argument); ok {
		b.addTo(a)
		return
	}
	if t := reflect.TypeOf(arg); t != nil && holdsBuffer(t) {
		held := reflect.New(t)
		held.Elem().Set(reflect.ValueOf(arg))
		a.parts(held.Elem())
		return
	}
	if a.err != nil || a.n >= len(a.k.params) {
		a.n++
		return
	}
	p := &a.k.params[a.n]
	v := reflect.ValueOf(arg)
	if p.kind == sliceParam || p.kind == tensorParam || !fits(p, v) {
		a.n++
		a.fail(ErrArgument, "is of type %T, the kernel takes %s", arg, p.takes())
		return
	}
	held := reflect.New(v.Type())
	held.Elem().Set(v)
	a.value(unsafe.Slice((*byte)(held.UnsafePointer()), v.Type().Size()))
}

// fits reports that a Go value is of the parameter's type.
func fits(p *Param, v reflect.Value) bool {
	if !v.IsValid() {
		return false
	}
	t := v.Type()
	if _, bad := badPart(t, ""); bad != nil || int(t.Size()) != p.Size {
		return false
	}
	if p.kind == bytesParam {
		return slices.Contains(composite, t.Kind())
	}
	if slices.Contains(composite, t.Kind()) {
		return false
	}
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		return p.Type[0] == 'f' || p.Type[0] == 'b'
	}
	return p.Type[0] != 'f' || p.Type == "f16" || p.Type == "f16x2"
}

// composite are the kinds of values that a parameter of bytes takes.
var composite = []reflect.Kind{reflect.Struct, reflect.Array, reflect.Complex64, reflect.Complex128}

// takes describes the arguments that fit the parameter.
func (p *Param) takes() string {
	switch p.kind {
	case sliceParam:
		return "a Buffer"
	case tensorParam:
		return "a TensorMap"
	case wordParam:
		return fmt.Sprintf("a Buffer or an integer of 64 bits (%s)", p.Type)
	case bytesParam:
		return fmt.Sprintf("a struct, an array or a complex number of %d bytes", p.Size)
	}
	if strings.HasPrefix(p.Type, "f") && p.Size >= 4 && p.Type != "f16x2" {
		return fmt.Sprintf("a float%d", 8*p.Size)
	}
	return fmt.Sprintf("an integer of %d bits (%s)", 8*p.Size, p.Type)
}

// Launch checks the launch and queues it on s. It is for generated code. The errors are the same as
// Kernel.Launch's.
func (a *Args) Launch(s *Stream, cfg Config) error {
	defer a.recycle()
	k := a.k
	switch {
	case a.n != len(k.params):
		return device.Errorf(ErrArgument, "%s: %s for %s (%s)", k.launchName, a.given(),
			count.Of(len(k.params), "parameter"), k.signature())
	case a.err != nil:
		return a.err
	case s == nil:
		return noStream(k.launchName)
	case s.dev != k.mod.dev:
		return device.Errorf(ErrWrongDevice, "%s: the stream is on device %d, the kernel on device %d", k.launchName, s.dev.id, k.mod.dev.id)
	}
	if cfg.BlockDim == (Dim3{}) {
		cfg.BlockDim = k.required
	}
	if cfg.ClusterDim == (Dim3{}) {
		cfg.ClusterDim = k.cluster
	}
	made, err := k.ready()
	if err != nil {
		return fmt.Errorf("%s: %w", k.launchName, err)
	}
	if err := k.check(made, cfg); err != nil {
		return err
	}
	return a.queue(s, made, cfg)
}

// given says how many arguments there are.
func (a *Args) given() string {
	if a.arg == 0 || a.arg == a.n {
		return count.Of(a.n, "argument")
	}
	return fmt.Sprintf("%s of %s", count.Of(a.arg, "argument"), count.Of(a.n, "part"))
}

// queue hands the launch to the stream, with everything it uses held.
func (a *Args) queue(s *Stream, made *madeKernel, cfg Config) error {
	k := a.k
	if err := s.hold(k.launchName); err != nil {
		return err
	}
	defer s.release()
	if !k.mod.life.Hold() {
		return device.Errorf(ErrClosed, "%s: module %s is closed", k.launchName, k.mod.name)
	}
	defer k.mod.release()
	for i, h := range a.mems {
		if !a.holdBuffer(h) {
			a.letGo(i)
			return a.err
		}
	}
	defer a.letGo(len(a.mems))
	return s.workLaunch(a).Launch(device.Launch{
		Kernel: &made.kernel, Grid: cfg.GridDim.array(), Block: cfg.BlockDim.array(), Cluster: k.asked(cfg), Shared: k.declared + cfg.SharedBytes, Params: a.buf,
	})
}

// holdBuffer holds the memory of one buffer argument.
func (a *Args) holdBuffer(h held) bool {
	if dev := a.k.mod.dev; h.mem.dev != dev {
		a.failAt(h.part, h.arg, ErrWrongDevice, "is on device %d, the kernel on device %d", h.mem.dev.id, dev.id)
		return false
	}
	if gone := h.mem.keep(); gone != nil {
		a.failAt(h.part, h.arg, ErrFreed, "cannot be used: %s", gone.whenFreed())
		return false
	}
	return true
}

// letGo releases the first n memories.
func (a *Args) letGo(n int) {
	for _, h := range a.mems[:n] {
		h.mem.release()
	}
}

// signature lists the parameters, "a, b []" and "n u64", separated by semicolons.
func (k *Kernel) signature() string {
	if len(k.params) == 0 {
		return "none"
	}
	var parts []string
	for _, p := range k.params {
		parts = append(parts, p.Name+" "+p.Type)
	}
	return strings.Join(parts, ", ")
}
