package cudadev

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// Fill implements device.Stream. The driver fills memory with words of up to 32 bits, so it is
// given the shortest word that the element repeats. For any other element the filled part doubles:
// the host writes the beginning, which is copied after itself until it fills the rest. So every
// byte is written once, by one copy or another, and read once.
func (s *stream) Fill(dst uint64, element []byte, n int64) error {
	if err := s.hold(); err != nil {
		return err
	}
	defer s.release()
	if n == 0 {
		return nil
	}
	at, ctx := cuda.DevicePtr(dst), s.b.ctx
	switch word := period(element); {
	case len(word) == 1:
		return s.startInside(func() error { return ctx.Fill(at, word[0], n, s.handle) })
	case len(word) == 2 && dst%2 == 0:
		return s.startInside(func() error { return ctx.Fill16(at, binary.LittleEndian.Uint16(word), n/2, s.handle) })
	case len(word) == 4 && dst%4 == 0:
		return s.startInside(func() error { return ctx.Fill32(at, binary.LittleEndian.Uint32(word), n/4, s.handle) })
	}
	return s.double(dst, element, n)
}

// period is the first 1, 2 or 4 bytes of an element if it is nothing but these over and over, else
// the element.
func period(element []byte) []byte {
	for n := 1; n <= min(4, len(element)); n *= 2 {
		if len(element)%n == 0 && bytes.Equal(element[n:], element[:len(element)-n]) {
			return element[:n]
		}
	}
	return element
}

// double fills n bytes by copies of ever more of them.
func (s *stream) double(dst uint64, element []byte, n int64) error {
	const most = smallChunk // from the host, unless the element is larger
	first := bytes.Repeat(element, int(min(n/int64(len(element)), int64(max(1, most/len(element))))))
	if err := s.copyInInside(context.Background(), dst, first); err != nil {
		return err
	}
	for done := int64(len(first)); done < n; {
		more := min(done, n-done)
		from, to := cuda.DevicePtr(dst), cuda.DevicePtr(dst)+cuda.DevicePtr(done)
		if err := s.startInside(func() error { return s.b.ctx.Copy(to, from, more, s.handle) }); err != nil {
			return err
		}
		done += more
	}
	return nil
}
