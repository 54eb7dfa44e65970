package gridstride

import "fmt"

// Native calls f with the CUstream of s, on a thread that has the device's CUDA context current,
// and returns f's error: so a program queues work of another CUDA library, such as cuBLAS, in order
// with its own. What f queues counts as work of the stream. Its buffers must live until the stream
// has been waited for (see Stream.Wait). The handle is not to be kept.
//
// Errors: ErrClosed; errors.ErrUnsupported for a simulated device, which no other library knows.
func (s *Stream) Native(f func(stream uintptr) error) error {
	if err := s.hold("native"); err != nil {
		return err
	}
	defer s.release()
	if err := s.work().Native(f); err != nil {
		return fmt.Errorf("native: %w", err)
	}
	return nil
}

// DevicePtr is the address of the first element in the device's memory, as CUDA's libraries take
// it: see Stream.Native. It is 0 for a buffer of no elements. Nothing keeps the program from using
// it after Free.
func (b Buffer[T]) DevicePtr() uintptr { return uintptr(b.addr()) }
