package gputest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// twoStreams are the parts of a test of two streams: the streams, a kernel that doubles the first
// four elements of a buffer, and a buffer of eight that is written.
type twoStreams struct {
	*testing.T
	dev    *gridstride.Device
	s1, s2 *gridstride.Stream
	k      *gridstride.Kernel
	b      gridstride.Buffer[int32]
	// advised is what a finding advises, done between two operations on the buffer.
	advised func(first, second *gridstride.Stream)
}

// double launches the kernel.
func (x *twoStreams) double(s *gridstride.Stream, b gridstride.Buffer[int32]) {
	x.Helper()
	must(x, x.k.Launch(s, gridstride.Grid(1).Block(4), b))
}

// after makes s wait for what other has queued.
func (x *twoStreams) after(s, other *gridstride.Stream) {
	x.Helper()
	must(x, s.After(other.Record()))
}

// TestStreamsHaveAnOrder uses one buffer on two streams: a finding where nothing orders the two,
// and none where an event, a wait or a stream does, or if the streams use different elements.
func TestStreamsHaveAnOrder(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(x *twoStreams)
		found []string // in the finding; empty if none is expected
	}{
		"launch and launch": {func(x *twoStreams) { x.double(x.s1, x.b); x.advised(x.s1, x.s2); x.double(x.s2, x.b) },
			[]string{"two streams with no event between", "launch of double", "x.k.Launch(s,"}},
		"write and launch": {func(x *twoStreams) {
			must(x, x.b.Write(x.Context(), x.s1, make([]int32, 8)))
			x.advised(x.s1, x.s2)
			x.double(x.s2, x.b)
		}, []string{"RACE  write/", "x.b.Write(", "x.k.Launch(s,"}},
		"launch and read": {func(x *twoStreams) {
			x.double(x.s1, x.b)
			x.advised(x.s1, x.s2)
			_, err := x.b.Read(x.Context(), x.s2, nil)
			must(x, err)
		}, []string{"RACE  write/read", "x.k.Launch(s,", "x.b.Read("}},
		"launch and fill": {func(x *twoStreams) { x.double(x.s1, x.b); x.advised(x.s1, x.s2); must(x, x.b.Fill(x.s2, 1)) },
			[]string{"x.b.Fill("}},
		"launch and copy": {func(x *twoStreams) {
			to := buffer(x.T, x.dev, 8)
			x.double(x.s1, x.b)
			x.advised(x.s1, x.s2)
			must(x, errors.Join(gridstride.Copy(x.s2, to, x.b), to.Free()))
		}, []string{"gridstride.Copy("}},
		"an event too early": {func(x *twoStreams) {
			e := x.s1.Record()
			x.double(x.s1, x.b)
			must(x, x.s2.After(e))
			x.advised(x.s1, x.s2)
			x.double(x.s2, x.b)
		}, []string{"RACE"}},
		"a stream that waits for another": {func(x *twoStreams) {
			s3 := x.dev.NewStream()
			x.double(x.s1, x.b)
			x.after(s3, x.s2)
			x.advised(x.s1, s3)
			x.double(s3, x.b)
		}, []string{"RACE"}},
		"a copy by another device": {func(x *twoStreams) {
			other := gputest.Device(x.T)
			to := buffer(x.T, other, 8)
			x.double(x.s1, x.b)
			x.advised(x.s1, other.Stream())
			must(x, errors.Join(gridstride.Copy(other.Stream(), to, x.b), other.Stream().Wait(x.Context()), to.Free()))
		}, []string{"RACE  write/read", "gridstride.Copy("}},
		"a copy from another device": {func(x *twoStreams) {
			other := gputest.Device(x.T)
			from := buffer(x.T, other, 8)
			must(x, from.Write(x.Context(), other.Stream(), make([]int32, 8)))
			must(x, gridstride.Copy(other.Stream(), x.b, from))
			x.advised(other.Stream(), x.s1)
			x.double(x.s1, x.b)
			must(x, errors.Join(other.Stream().Wait(x.Context()), from.Free()))
		}, []string{"RACE  write/", "gridstride.Copy("}},
		"a closed stream": {func(x *twoStreams) {
			s := x.dev.NewStream()
			x.double(s, x.b)
			x.advised(s, x.s1)
			x.double(x.s1, x.b)
			s.Close()
		}, []string{"RACE"}},

		"one stream":          {func(x *twoStreams) { x.double(x.s1, x.b); x.double(x.s1, x.b) }, nil},
		"the device's stream": {func(x *twoStreams) { x.double(x.dev.Stream(), x.b); x.double(x.dev.Stream(), x.b) }, nil},
		"an event":            {func(x *twoStreams) { x.double(x.s1, x.b); x.after(x.s2, x.s1); x.double(x.s2, x.b) }, nil},
		"an event, and one behind it": {func(x *twoStreams) {
			s3 := x.dev.NewStream()
			x.double(x.s1, x.b)
			x.after(s3, x.s1)
			x.after(x.s2, s3)
			x.double(x.s2, x.b)
		}, nil},
		"an event of another device": {func(x *twoStreams) {
			other := gputest.Device(x.T)
			to := buffer(x.T, other, 8)
			x.double(x.s1, x.b)
			s := other.Stream()
			x.after(s, x.s1)
			must(x, gridstride.Copy(s, to, x.b))
			x.after(x.s2, s)
			x.double(x.s2, x.b)
			must(x, to.Free())
		}, nil},
		"a wait for the stream": {func(x *twoStreams) {
			x.double(x.s1, x.b)
			must(x, x.s1.Wait(x.Context()))
			x.double(x.s2, x.b)
		}, nil},
		"a wait for the device": {func(x *twoStreams) {
			x.double(x.s1, x.b)
			must(x, x.dev.Wait(x.Context()))
			x.double(x.s2, x.b)
		}, nil},
		"a wait for an event": {func(x *twoStreams) {
			x.double(x.s1, x.b)
			must(x, x.s1.Record().Wait(x.Context()))
			x.double(x.s2, x.b)
		}, nil},
		"an event that is polled": {func(x *twoStreams) {
			x.double(x.s1, x.b)
			for e := x.s1.Record(); ; {
				if done, err := e.Done(); done {
					must(x, err)
					break
				}
			}
			x.double(x.s2, x.b)
		}, nil},
		"a read": {func(x *twoStreams) {
			x.double(x.s1, x.b)
			_, err := x.b.Slice(0, 1).Read(x.Context(), x.s1, nil)
			must(x, err)
			x.double(x.s2, x.b)
		}, nil},
		"a host function": {func(x *twoStreams) {
			done := make(chan bool)
			x.double(x.s1, x.b)
			must(x, x.s1.LaunchHostFunc(func() { close(done) }))
			<-done
			x.double(x.s2, x.b)
		}, nil},
		"parts of a buffer": {func(x *twoStreams) { x.double(x.s1, x.b.Slice(0, 4)); x.double(x.s2, x.b.Slice(4, 8)) }, nil},
		"elements that the kernel does not use": {func(x *twoStreams) {
			x.double(x.s1, x.b)
			must(x, x.b.Slice(4, 8).Fill(x.s2, 1))
		}, nil},
		"two reads": {func(x *twoStreams) {
			for _, s := range []*gridstride.Stream{x.s1, x.s2} {
				_, err := x.b.Read(x.Context(), s, nil)
				must(x, err)
			}
		}, nil},
		"free while queued": {func(x *twoStreams) {
			b := buffer(x.T, x.dev, 8)
			x.double(x.s1, b)
			must(x, b.Free())
			b = buffer(x.T, x.dev, 8)
			x.double(x.s2, b)
			must(x, b.Free())
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			none := func(*gridstride.Stream, *gridstride.Stream) {}
			got := checkStreams(t, false, func(x *twoStreams) { x.advised = none; c.do(x) })
			if (got != "") != (c.found != nil) {
				t.Fatalf("errors:\n%s", got)
			}
			for _, part := range c.found {
				if !strings.Contains(got, part) {
					t.Errorf("errors:\n%s\nwithout %s", got, part)
				}
			}
			if c.found == nil {
				return
			}
			const fix = "let the second stream wait for the first: second.After(first.Record()); or queue both on one stream, or wait on the host between them"
			if !strings.Contains(got, fix) {
				t.Errorf("errors:\n%s\nwithout the advice that is followed here", got)
			}
			for advice, got := range map[string]string{
				"second.After(first.Record())": checkStreams(t, false, func(x *twoStreams) {
					x.advised = func(first, second *gridstride.Stream) { must(x, second.After(first.Record())) }
					c.do(x)
				}),
				"one stream": checkStreams(t, true, func(x *twoStreams) {
					x.advised = none
					own := name == "a stream that waits for another" || name == "a closed stream" // of streams of their own
					if !own && !strings.HasPrefix(name, "a copy ") {
						c.do(x)
					}
				}),
				"a wait on the host": checkStreams(t, false, func(x *twoStreams) {
					x.advised = func(first, _ *gridstride.Stream) { must(x, first.Wait(x.Context())) }
					c.do(x)
				}),
			} {
				if got != "" {
					t.Errorf("with the advice, %s, errors:\n%s", advice, got)
				}
			}
		})
	}
}

// checkStreams is what the checks say of operations on two streams, or on one in their place.
func checkStreams(t *testing.T, one bool, do func(x *twoStreams)) string {
	t.Helper()
	p := &probe{TB: t}
	dev := gputest.Device(p)
	m, err := dev.Load("copy.ptx", copyPTX)
	must(t, err)
	k, err := m.Kernel("double")
	must(t, err)
	x := &twoStreams{T: t, dev: dev, s1: dev.NewStream(), s2: dev.NewStream(), k: k, b: buffer(t, dev, 8)}
	if one {
		x.s2 = x.s1
	}
	do(x)
	must(t, dev.Wait(t.Context()))
	must(t, x.b.Free())
	return p.end()
}

// buffer is a written buffer of n elements.
func buffer(t *testing.T, dev *gridstride.Device, n int) gridstride.Buffer[int32] {
	t.Helper()
	b, err := gridstride.CopyOf(dev, make([]int32, n))
	must(t, err)
	return b
}
