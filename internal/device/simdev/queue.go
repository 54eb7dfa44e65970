package simdev

import (
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// operation is one operation of a simulated stream: a launch, or a call if there is no entry. The
// call reports whether it finished.
type operation struct {
	entry  *sim.Entry
	launch device.Launch
	from   string // the call that launched it, for reports of checks
	// checked is a launch as the checks compare it with operations of other streams.
	checked *streamcheck.Op
	call    func() bool
}

// queue is a ring of operations. A slot keeps its parameter block when it is free, so that a
// queue which has reached its size allocates nothing.
type queue struct {
	ops     []operation
	head, n int
}

// push adds an operation at the end, with a copy of its parameters.
func (q *queue) push(o operation) *operation {
	if q.n == len(q.ops) {
		q.grow(max(len(o.launch.Params), 64))
	}
	at := &q.ops[(q.head+q.n)%len(q.ops)]
	q.n++
	params := append(at.launch.Params[:0], o.launch.Params...)
	*at = o
	at.launch.Params = params
	return at
}

// grow makes room for more operations, each with a parameter block of params bytes.
func (q *queue) grow(params int) {
	ops := make([]operation, max(16, 2*len(q.ops)))
	n := copy(ops, q.ops[q.head:])
	n += copy(ops[n:], q.ops[:q.head])
	blocks := make([]byte, params*(len(ops)-n))
	for i := range ops[n:] {
		ops[n+i].launch.Params = blocks[i*params : i*params : (i+1)*params]
	}
	q.ops, q.head = ops, 0
}

// front is the oldest operation. Its parameter block stays as it is until pop.
func (q *queue) front() operation { return q.ops[q.head] }

// pop removes the oldest operation.
func (q *queue) pop() {
	q.ops[q.head] = operation{launch: device.Launch{Params: q.ops[q.head].launch.Params[:0]}}
	q.head = (q.head + 1) % len(q.ops)
	q.n--
}
