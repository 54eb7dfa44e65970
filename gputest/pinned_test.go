package gputest_test

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// pinnedCopies are the parts of a test that copies pinned memory.
type pinnedCopies struct {
	*testing.T
	dev *gridstride.Device
	s   *gridstride.Stream
	b   gridstride.Buffer[int32]
	p   gridstride.Pinned[int32]
}

func (x *pinnedCopies) write() { x.Helper(); must(x, x.b.WriteAsync(x.s, x.p)) }
func (x *pinnedCopies) read()  { x.Helper(); must(x, x.b.ReadAsync(x.s, x.p)) }
func (x *pinnedCopies) wait()  { x.Helper(); must(x, x.s.Wait(x.Context())) }

// hold makes the stream wait until release is called, so that the queued work does not run yet. It
// is for a device that is not checked: the checks know nothing about it.
func (x *pinnedCopies) hold() (release func()) {
	other, err := gridstride.Open(gridstride.Use("sim"))
	must(x, err)
	gate := make(chan struct{})
	must(x, other.Stream().LaunchHostFunc(func() { <-gate }))
	must(x, x.s.After(other.Stream().Record()))
	x.Cleanup(func() { must(x, other.Close()) })
	return func() { close(gate) }
}

// TestPinnedMemoryBelongsToItsCopy changes pinned memory while a copy of it is queued, which is
// found, and when the copy has been waited for, which is not.
func TestPinnedMemoryBelongsToItsCopy(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(x *pinnedCopies)
		found string // in the finding
	}{
		"changed before the write has run": {func(x *pinnedCopies) {
			release := x.hold()
			x.write()
			x.p.Data()[3] = 7
			release()
			x.wait()
		}, "must(x, x.b.WriteAsync(x.s, x.p))"},
		"changed before the next write": {func(x *pinnedCopies) {
			release := x.hold()
			x.write()
			x.p.Data()[3] = 7
			x.write()
			release()
			x.wait()
		}, "must(x, x.b.WriteAsync(x.s, x.p))"},
		"changed before the read has run": {func(x *pinnedCopies) {
			release := x.hold()
			x.read()
			x.p.Data()[3] = 7
			release()
			x.wait()
		}, "must(x, x.b.ReadAsync(x.s, x.p))"},

		"waited for": {func(x *pinnedCopies) {
			for i := range x.p.Data() {
				x.p.Data()[i] = int32(i)
				x.write()
				x.wait()
				x.p.Data()[i] = -1
				x.read()
				must(x, x.s.Record().Wait(x.Context()))
				x.p.Data()[i]++
			}
		}, ""},
		"there and back": {func(x *pinnedCopies) {
			release := x.hold()
			x.write()
			must(x, x.b.Fill(x.s, 9))
			x.read()
			x.write()
			x.read()
			release()
			x.wait()
		}, ""},
		"filled by a host function": {func(x *pinnedCopies) {
			release := x.hold()
			must(x, x.s.LaunchHostFunc(func() { x.p.Data()[0] = 5 }))
			x.write()
			must(x, x.s.LaunchHostFunc(func() { x.p.Data()[0] = 6 }))
			x.write()
			release()
			x.wait()
		}, ""},
		"another part of the memory": {func(x *pinnedCopies) {
			release := x.hold()
			must(x, x.b.Slice(0, 4).WriteAsync(x.s, x.p.Slice(0, 4)))
			x.p.Data()[4] = 7
			release()
			x.wait()
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			probe := &probe{TB: t}
			dev := gputest.Device(probe)
			p, err := gridstride.MakePinned[int32](dev, 8)
			must(t, err)
			x := &pinnedCopies{T: t, dev: dev, s: dev.NewStream(), b: buffer(t, dev, 8), p: p}
			c.do(x)
			must(t, p.Free())
			must(t, x.b.Free())
			got := probe.end()
			if c.found == "" && got != "" || !strings.Contains(got, c.found) ||
				c.found != "" && !strings.Contains(got, "RACE  pinned memory changed by the host while a copy of it is queued") {
				t.Errorf("errors:\n%s", got)
			}
		})
	}
}
