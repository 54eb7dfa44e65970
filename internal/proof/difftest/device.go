package difftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/types"
	"path"
	"reflect"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/proof/difftest/host"
)

// Public is a device of package gridstride, a GPU or the simulator, through the public API:
// GRIDSTRIDE_DEVICE decides which.
type Public struct{ dev *gridstride.Device }

// OpenPublic opens the device.
func OpenPublic() (*Public, error) {
	dev, err := gridstride.Open()
	return &Public{dev}, err
}

// Close closes the device.
func (d *Public) Close() error { return d.dev.Close() }

// Name implements Machine.
func (d *Public) Name() string { return d.dev.Info().Name }

// Driver is the newest CUDA version of a GPU's driver and the driver's own, "CUDA 13.0,
// 580.159.04", or "" for the simulator.
func (d *Public) Driver() string {
	if v := cuda.KernelVersion(); v != "" && d.dev.Info().Driver != "" {
		return d.dev.Info().Driver + ", " + v
	}
	return d.dev.Info().Driver
}

// Load implements Machine.
func (d *Public) Load(text string) (Kernels, error) {
	mod, err := d.dev.Load("kernels.ptx", text)
	if err != nil {
		return nil, err
	}
	return &published{d.dev, mod, d.dev.NewStream()}, nil
}

// published is a module loaded into a device, with a stream for its launches.
type published struct {
	dev    *gridstride.Device
	mod    *gridstride.Module
	stream *gridstride.Stream
}

// Close implements Kernels.
func (k *published) Close() {
	k.stream.Close()
	k.mod.Close()
}

// Launch implements Kernels.
func (k *published) Launch(ctx context.Context, p *Program, entry, file string) Outcome {
	kern, err := k.mod.Kernel(entry)
	if err != nil {
		return Outcome{Err: err}
	}
	s := k.stream
	slices := make([]*guarded, len(p.Params))
	defer func() {
		for _, g := range slices {
			if g != nil {
				g.buffer.Free()
			}
		}
	}()
	var args []any
	for i, a := range p.Call().Args {
		q := p.Params[i]
		switch {
		case !a.Slice:
			args = append(args, q.value(a.Data))
		case a.Alias >= 0:
			args = append(args, slices[a.Alias].view(q.Len))
		default:
			if slices[i], err = guard(ctx, k.dev, s, a.Data, q.Align); err != nil {
				return Outcome{Err: err}
			}
			args = append(args, slices[i].view(q.Len))
		}
	}
	cfg := gridstride.Grid(p.Grid[:]...).Block(p.Block[:]...)
	if err := kern.Launch(s, cfg, args...); err != nil {
		return Outcome{Err: err}
	}
	return p.collect(ctx, s, slices, file)
}

// collect waits for the kernel and reads what it left.
func (p *Program) collect(ctx context.Context, s *gridstride.Stream, slices []*guarded, file string) (o Outcome) {
	var failed *gridstride.KernelError
	if err := s.Record().Wait(ctx); errors.As(err, &failed) && failed.Located {
		thread := flatten(dim(failed.Block), p.Grid)*host.Count(p.Block) + flatten(dim(failed.Thread), p.Block)
		o.Failure = &Failure{Thread: thread, Message: failed.Message, Line: failed.Line}
		if path.Base(failed.File) != file {
			return Outcome{Err: fmt.Errorf("the failure is in %s, the kernel in %s: %w", failed.File, file, err)}
		}
	} else if err != nil {
		return Outcome{Err: err}
	}
	o.Memory = make([][]byte, len(slices))
	for i, g := range slices {
		if g == nil {
			continue
		}
		var err error
		if o.Memory[i], err = g.read(ctx, s); err != nil {
			return Outcome{Err: fmt.Errorf("%s: %w", p.Params[i].Name, err)}
		}
	}
	return o
}

func dim(d gridstride.Dim3) [3]int { return [3]int{d.X, d.Y, d.Z} }

// guarded is a buffer with the bytes of a slice between guard bytes, at an odd multiple of the
// elements' alignment.
type guarded struct {
	buffer gridstride.Buffer[byte]
	at, n  int
}

func guard(ctx context.Context, dev *gridstride.Device, s *gridstride.Stream, data []byte, align int) (*guarded, error) {
	all := bytes.Repeat([]byte{guardByte}, align+len(data)+guardBytes)
	copy(all[align:], data)
	b, err := gridstride.Make[byte](dev, len(all))
	if err != nil {
		return nil, err
	}
	return &guarded{b, align, len(data)}, b.Write(ctx, s, all)
}

// view is the slice as an argument. Its length is the slice's length in elements: a launch takes
// the address and the length of a buffer.
func (g *guarded) view(n int) gridstride.Buffer[byte] { return g.buffer.Slice(g.at, g.at+n) }

func (g *guarded) read(ctx context.Context, s *gridstride.Stream) ([]byte, error) {
	all, err := g.buffer.Read(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	for i, b := range all {
		if (i < g.at || i >= g.at+g.n) && b != guardByte {
			return nil, fmt.Errorf("a byte next to the slice was written, at offset %d", i-g.at)
		}
	}
	return all[g.at : g.at+g.n], nil
}

// value is an argument that is no slice: a number or bool of its type, or bytes for a struct or an
// array.
func (q *Param) value(data []byte) any {
	t := reflect.ArrayOf(len(data), reflect.TypeFor[byte]())
	if len(q.Leaves) == 1 && q.Leaves[0].Path == "" {
		t = scalarTypes[q.Leaves[0].Kind]
	}
	v := reflect.New(t)
	copy(unsafe.Slice((*byte)(v.UnsafePointer()), len(data)), data)
	return v.Elem().Interface()
}

var scalarTypes = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.Int: reflect.TypeFor[int](), types.Uint: reflect.TypeFor[uint](),
	types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](), types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](), types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
}
