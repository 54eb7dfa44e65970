package gridstride

// simOp is one operation of a simulated stream: a launch, or a call where there is no kernel.
type simOp struct {
	kernel *Kernel
	cfg    Config
	params []byte
	call   func()
}

// simQueue is a ring of operations. A place keeps its parameter block when it is free, so that a queue which has reached
// its size allocates nothing.
type simQueue struct {
	ops     []simOp
	head, n int
}

// push adds an operation at the end, with a copy of its parameters.
func (q *simQueue) push(o simOp) *simOp {
	if q.n == len(q.ops) {
		q.grow()
	}
	at := &q.ops[(q.head+q.n)%len(q.ops)]
	q.n++
	params := append(at.params[:0], o.params...)
	*at = o
	at.params = params
	return at
}

func (q *simQueue) grow() {
	ops := make([]simOp, max(16, 2*len(q.ops)))
	n := copy(ops, q.ops[q.head:])
	copy(ops[n:], q.ops[:q.head])
	q.ops, q.head = ops, 0
}

// front is the oldest operation. Its parameter block stays as it is until pop.
func (q *simQueue) front() simOp { return q.ops[q.head] }

// pop removes the oldest operation.
func (q *simQueue) pop() {
	q.ops[q.head] = simOp{params: q.ops[q.head].params[:0]}
	q.head = (q.head + 1) % len(q.ops)
	q.n--
}
