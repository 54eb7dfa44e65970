// Package streamcheck finds uses of memory by two streams that nothing orders. It does for the
// operations that a program queues what package racecheck does for the threads of one launch.
//
// An operation is a launch, a copy or a filling. Two operations are ordered by a stream, by an
// event that one stream records and another waits for, or by the host, if it waits for one before
// it queues the other. Each operation has a vector clock of the operations before it (Mattern,
// "Virtual Time and Global States of Distributed Systems", 1989). The host takes part in the
// clocks. All goroutines are one host: whether something orders two goroutines is for Go's race
// detector to say.
package streamcheck

import (
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Clock has for each stream, by number, how many of its operations precede a point.
type Clock []uint64

// covers reports whether the n-th operation of a stream precedes the point.
func (c Clock) covers(stream int, n uint64) bool { return stream < len(c) && c[stream] >= n }

// Join adds what precedes another point.
func (c *Clock) Join(o Clock) {
	if more := len(o) - len(*c); more > 0 {
		*c = append(*c, make(Clock, more)...)
	}
	for i, n := range o {
		(*c)[i] = max((*c)[i], n)
	}
}

// order is the clocks of the process: devices wait for each other's events.
var order struct {
	sync.Mutex
	host    Clock // the points that the host has waited for
	ops     uint64
	streams int // numbers given out
	free    []ended
}

// ended is the number of a stream that has ended, and how many operations it had.
type ended struct {
	number int
	count  uint64
}

// Stream is a stream of a device. Its number goes to another when it has ended, which then counts
// on: the operations of the two are ordered.
type Stream struct {
	number int
	graph  *Graph // that it is a branch of, nil if it is none
	clock  Clock  // of the last operation, and of the events waited for since
}

// NewStream begins a stream.
func NewStream() *Stream {
	order.Lock()
	defer order.Unlock()
	if n := len(order.free); n > 0 {
		last := order.free[n-1]
		s := &Stream{number: last.number}
		order.free = order.free[:n-1]
		s.clock.Join(order.host)
		s.clock.Join(make(Clock, s.number+1))
		s.clock[s.number] = max(s.clock[s.number], last.count)
		return s
	}
	order.streams++
	return &Stream{number: order.streams - 1}
}

// End ends a stream whose operations have all run.
func (s *Stream) End() {
	order.Lock()
	defer order.Unlock()
	count := uint64(0)
	if s.number < len(s.clock) {
		count = s.clock[s.number]
	}
	order.free = append(order.free, ended{s.number, count})
}

// Op is an operation.
type Op struct {
	Name   string         // "launch of scale", "write"
	At     event.Position // the call that has queued it
	graph  *Graph         // whose node it is, nil if it is none's
	serial uint64         // among all operations of the process, as they were queued
	stream int
	number uint64 // among the stream's
	before Clock  // itself included
}

// behind reports whether x is ordered after y.
func (x *Op) behind(y *Op) bool { return x.before.covers(y.stream, y.number) }

// Queue adds an operation to the stream.
func (s *Stream) Queue(name string, at event.Position) *Op {
	order.Lock()
	defer order.Unlock()
	s.clock.Join(order.host)
	s.clock.Join(make(Clock, s.number+1))
	s.clock[s.number]++
	order.ops++
	return &Op{Name: name, At: at, graph: s.graph, serial: order.ops, stream: s.number, number: s.clock[s.number], before: slices.Clone(s.clock)}
}

// Point is the point that the stream's queue has reached.
func (s *Stream) Point() Clock {
	order.Lock()
	defer order.Unlock()
	return slices.Clone(s.clock)
}

// After orders what is queued from now on after a point.
func (s *Stream) After(c Clock) {
	order.Lock()
	defer order.Unlock()
	s.clock.Join(c)
}

// Reached tells that the host knows that a point was reached: its later operations are ordered
// after the point. The point is nil if nothing is compared.
func Reached(c Clock) {
	if c == nil {
		return
	}
	order.Lock()
	order.host.Join(c)
	host := slices.Clone(order.host)
	order.Unlock()
	settlePinned(host)
}

// passed reports whether the host knows of an operation that it has run.
func (x *Op) passed() bool {
	order.Lock()
	defer order.Unlock()
	return order.host.covers(x.stream, x.number)
}
