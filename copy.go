package gridstride

import "github.com/gridstride/gridstride/internal/device"

// Copy queues a copy of src to dst on s: device memory to device memory. Both have the same length,
// and they do not overlap. One of them is on the device of s. The other may be on another device,
// of the same backend. Two GPUs copy directly if they can reach each other. Otherwise the driver
// copies through the host.
//
// The work on another device that src is from, or that uses dst, is not waited for: see
// [Stream.After].
//
// Errors: ErrRange where the lengths differ or the buffers overlap, ErrFreed, ErrClosed,
// ErrWrongDevice, ErrArgument for a nil stream.
func Copy[T any](s *Stream, dst, src Buffer[T]) error {
	if err := s.hold("copy"); err != nil {
		return err
	}
	defer s.release()
	if err := s.reaches(dst.mem, src.mem); err != nil {
		return err
	}
	if err := dst.mem.hold("copy"); err != nil {
		return err
	}
	defer dst.mem.release()
	if err := src.mem.hold("copy"); err != nil {
		return err
	}
	defer src.mem.release()
	switch {
	case dst.n != src.n:
		return device.Errorf(ErrRange, "copy: %d elements to a buffer of %d; Slice gives a view of a part", src.n, dst.n)
	case dst.Overlaps(src):
		return device.Errorf(ErrRange, "copy: the buffers overlap; copy by way of a third, or launch a kernel")
	case dst.n == 0:
		return nil
	}
	return s.work(dst.mem, src.mem).Copy(dst.place(), src.place(), dst.size())
}

// reaches checks that a copy between two memories can be queued on s. A memory that is nil is of no
// device.
func (s *Stream) reaches(dst, src *memory) error {
	own := false
	for _, m := range []*memory{dst, src} {
		switch {
		case m == nil:
			own = true
		case m.dev == s.dev:
			own = true
		case m.dev.closed.Load():
			return m.dev.closedError("copy")
		case m.dev.info.Backend != s.dev.info.Backend:
			return device.Errorf(ErrWrongDevice, "copy: a buffer is on %v, the stream on %v; Read and Write copy between them", m.dev, s.dev)
		}
	}
	if !own {
		return device.Errorf(ErrWrongDevice, "copy: the buffers are on device %d and device %d, the stream on device %d", dst.dev.id, src.dev.id, s.dev.id)
	}
	return nil
}
