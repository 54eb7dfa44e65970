package gridstride

// simOp is one operation of a simulated stream: a launch, or a call where there is no kernel. The
// call reports whether it came to its end.
type simOp struct {
	kernel *Kernel
	cfg    Config
	params []byte
	from   string // the place that launched it, for reports of checks
	call   func() bool
}

// simQueue is a ring of operations. A place keeps its parameter block when it is free, so that a
// queue which has reached its size allocates nothing.
type simQueue struct {
	ops     []simOp
	head, n int
}

// push adds an operation at the end, with a copy of its parameters.
func (q *simQueue) push(o simOp) *simOp {
	if q.n == len(q.ops) {
		q.grow(max(len(o.params), 64))
	}
	at := &q.ops[(q.head+q.n)%len(q.ops)]
	q.n++
	params := append(at.params[:0], o.params...)
	*at = o
	at.params = params
	return at
}

// grow makes room for more operations, each with a parameter block of so many bytes.
func (q *simQueue) grow(params int) {
	ops := make([]simOp, max(16, 2*len(q.ops)))
	n := copy(ops, q.ops[q.head:])
	n += copy(ops[n:], q.ops[:q.head])
	blocks := make([]byte, params*(len(ops)-n))
	for i := range ops[n:] {
		ops[n+i].params = blocks[i*params : i*params : (i+1)*params]
	}
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
