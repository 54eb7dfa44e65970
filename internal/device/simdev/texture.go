package simdev

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/texture"
)

// An array of a simulated device is a block of its memory, and its number is the block's address.

// MakeArray implements device.Backend.
func (b *Backend) MakeArray(a *abi.Array) (device.ArrayID, error) {
	addr, err := b.Alloc(a.Bytes())
	if err != nil {
		return 0, err
	}
	b.arrays.Store(device.ArrayID(addr), a)
	return device.ArrayID(addr), nil
}

// RetireArray implements device.Backend.
func (b *Backend) RetireArray(id device.ArrayID) {
	b.afterQueued(func(m *sim.Machine) {
		b.arrays.Delete(id)
		b.free(m, uint64(id))
	})
}

// array is an array by its number.
func (b *Backend) array(id device.ArrayID) *abi.Array {
	a, ok := b.arrays.Load(id)
	if !ok {
		panic("BUG: an array that was given back is used")
	}
	return a.(*abi.Array)
}

// MakeTexture implements device.Backend.
func (b *Backend) MakeTexture(id device.ArrayID, s *abi.Sampler) (uint64, error) {
	a := b.array(id)
	return b.object(func(m *sim.Machine) (uint64, error) {
		return m.NewTexture(&texture.Texture{Format: a.TexelFormat, Shape: a.ArrayShape, Sampler: *s}, uint64(id))
	})
}

// MakeLinearTexture implements device.Backend.
func (b *Backend) MakeLinearTexture(l *abi.Linear, s *abi.Sampler) (uint64, error) {
	return b.object(func(m *sim.Machine) (uint64, error) {
		return m.NewTexture(&texture.Texture{
			Format: l.TexelFormat, Shape: texture.Shape{Width: l.Width, Height: l.Height}, Sampler: *s, Buffer: l.Height == 0, Pitch: l.Pitch,
		}, l.Address)
	})
}

// MakeSurface implements device.Backend.
func (b *Backend) MakeSurface(id device.ArrayID) (uint64, error) {
	a := b.array(id)
	return b.object(func(m *sim.Machine) (uint64, error) {
		return m.NewSurface(&texture.Surface{Format: a.TexelFormat, Shape: a.ArrayShape}, uint64(id))
	})
}

// object makes an object of the machine.
func (b *Backend) object(make func(*sim.Machine) (uint64, error)) (uint64, error) {
	m := b.machine.Load()
	if m == nil {
		return 0, device.ErrClosed
	}
	return make(m)
}

// RetireTexture implements device.Backend.
func (b *Backend) RetireTexture(handle uint64) {
	b.afterQueued(func(m *sim.Machine) { m.FreeObject(handle) })
}

// RetireSurface implements device.Backend.
func (b *Backend) RetireSurface(handle uint64) { b.RetireTexture(handle) }

// FillArray implements device.Stream.
func (s *stream) FillArray(dst device.ArrayID, src uint64) error {
	return s.moveArray(uint64(dst), src, s.b.array(dst))
}

// DrainArray implements device.Stream.
func (s *stream) DrainArray(dst uint64, src device.ArrayID) error {
	return s.moveArray(dst, uint64(src), s.b.array(src))
}

// moveArray queues a copy of all the bytes of an array.
func (s *stream) moveArray(dst, src uint64, a *abi.Array) error {
	n := a.Bytes()
	_, _, err := s.enqueueUse("copy", func() { _ = s.b.move(dst, src, int(n)) },
		use{s.b, streamcheck.Read, src, n, nil}, use{s.b, streamcheck.Write, dst, n, nil})
	return err
}
