//go:build linux

package simdriver

import (
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/math/half"
)

// clique is the common state of a group's communicators.
type clique struct {
	devices []int32

	mu       sync.Mutex
	meetings map[int]*meeting // of collectives, by their number
	posts    map[[2]int]chan post
	wrong    bool
	aborted  chan struct{}
	once     sync.Once
}

// meeting is a collective for which ranks have come.
type meeting struct {
	calls []*ncclCall
	come  int
	done  chan struct{}
}

// post is a message from a rank to another.
type post struct {
	call *ncclCall
	took chan struct{}
}

func newClique(devices []int32) *clique {
	return &clique{devices: devices, meetings: map[int]*meeting{}, posts: map[[2]int]chan post{}, aborted: make(chan struct{})}
}

func (q *clique) abort() { q.once.Do(func() { close(q.aborted) }) }

// unlessAborted calls f, which uses the ranks' memory, unless the clique has been aborted. It needs q.mu.
func (q *clique) unlessAborted(f func()) {
	select {
	case <-q.aborted:
	default:
		f()
	}
}

// leave is called by a rank that goes on as the clique has been aborted: from then on nobody uses its
// memory.
func (q *clique) leave() {
	q.mu.Lock()
	defer q.mu.Unlock() // who has it may be using the memory
}

// broken reports that ranks came to one collective with different calls.
func (q *clique) broken() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.wrong
}

// launch pushes the calls of a group on their streams: the sends of a rank as one piece of work.
func launch(calls []ncclCall) {
	sends := map[*ncclComm][]*ncclCall{}
	for i := range calls {
		c := &calls[i]
		if c.name == "ncclSend" || c.name == "ncclRecv" {
			sends[c.comm] = append(sends[c.comm], c)
			continue
		}
		number := c.comm.seen
		c.comm.seen++
		c.on.push(func() cuda.Result { return c.comm.of.meet(number, c) })
	}
	for comm, all := range sends {
		all[0].on.push(func() cuda.Result { return comm.of.exchange(all) })
	}
}

// meet waits for the other ranks, unless the rank's GPU is lost: then it never comes.
func (q *clique) meet(number int, c *ncclCall) cuda.Result {
	if r := c.on.c.lost(); r != cuda.Success {
		return r
	}
	q.mu.Lock()
	m := q.meetings[number]
	if m == nil {
		m = &meeting{calls: make([]*ncclCall, len(q.devices)), done: make(chan struct{})}
		q.meetings[number] = m
	}
	m.calls[c.comm.rank] = c
	if m.come++; m.come == len(q.devices) {
		delete(q.meetings, number)
		q.unlessAborted(func() { q.run(m) })
	}
	q.mu.Unlock()
	select {
	case <-m.done:
	case <-q.aborted:
		q.leave()
	}
	return cuda.Success
}

// run runs a collective for which all have come. It needs q.mu. One whose calls differ hangs.
func (q *clique) run(m *meeting) {
	first := m.calls[0]
	for _, c := range m.calls {
		if c.name != first.name || c.n != first.n || c.kind != first.kind || c.op != first.op || c.root != first.root {
			q.wrong = true
			return
		}
	}
	size := []int{1, 1, 4, 4, 8, 8, 2, 4, 8, 2}[first.kind]
	ranks := len(m.calls)
	var all [][]byte // the sources of the ranks
	for _, c := range m.calls {
		n := first.n * size
		if first.name == "ncclReduceScatter" {
			n *= ranks
		}
		all = append(all, c.read(n))
	}
	switch first.name {
	case "ncclAllReduce", "ncclReduce", "ncclReduceScatter":
		sum := reduceBytes(all, first.kind, first.op)
		for rank, c := range m.calls {
			switch {
			case first.name == "ncclReduceScatter":
				c.write(sum[rank*first.n*size : (rank+1)*first.n*size])
			case first.name == "ncclAllReduce" || rank == first.root:
				c.write(sum)
			}
		}
	case "ncclBroadcast":
		for _, c := range m.calls {
			c.write(all[first.root])
		}
	case "ncclAllGather":
		var whole []byte
		for _, part := range all {
			whole = append(whole, part...)
		}
		for _, c := range m.calls {
			c.write(whole)
		}
	}
	close(m.done)
}

// exchange sends and receives what a rank has in one group.
func (q *clique) exchange(all []*ncclCall) cuda.Result {
	if r := all[0].on.c.lost(); r != cuda.Success {
		return r
	}
	var sent []post
	for _, c := range all {
		if c.name == "ncclSend" {
			p := post{c, make(chan struct{})}
			q.post(c.comm.rank, c.peer) <- p
			sent = append(sent, p)
		}
	}
	for _, c := range all {
		if c.name != "ncclRecv" {
			continue
		}
		select {
		case p := <-q.post(c.peer, c.comm.rank):
			q.deliver(p, c)
		case <-q.aborted:
			q.leave()
		}
	}
	for _, p := range sent {
		select {
		case <-p.took:
		case <-q.aborted:
			q.leave()
		}
	}
	return cuda.Success
}

// deliver gives a message to the rank that receives it. One of another size hangs.
func (q *clique) deliver(p post, to *ncclCall) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p.call.n != to.n {
		q.wrong = true
		return
	}
	q.unlessAborted(func() {
		to.write(p.call.read(to.n))
		close(p.took)
	})
}

// post is the queue of what one rank sends to another.
func (q *clique) post(from, to int) chan post {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := [2]int{from, to}
	if q.posts[key] == nil {
		q.posts[key] = make(chan post, 1000)
	}
	return q.posts[key]
}

// read is a copy of n bytes of the rank's source.
func (c *ncclCall) read(n int) (b []byte) {
	return append(b, c.on.c.device(c.src).bytes(0, uintptr(n))...)
}

// write writes to the rank's destination.
func (c *ncclCall) write(b []byte) {
	copy(c.on.c.device(c.dst).bytes(0, uintptr(len(b))), b)
}

// reduceBytes combines vectors of a type, from the last to the first.
func reduceBytes(all [][]byte, kind, op int) []byte {
	switch kind {
	case 0:
		return reduceNumbers[int8](all, op)
	case 1:
		return reduceNumbers[uint8](all, op)
	case 2:
		return reduceNumbers[int32](all, op)
	case 3:
		return reduceNumbers[uint32](all, op)
	case 4:
		return reduceNumbers[int64](all, op)
	case 5:
		return reduceNumbers[uint64](all, op)
	case 6:
		return reduceHalves(all, op, half.F16ToF32, half.F16Nearest[float32])
	case 7:
		return reduceNumbers[float32](all, op)
	case 8:
		return reduceNumbers[float64](all, op)
	}
	return reduceHalves(all, op, half.BF16ToF32, half.BF16Nearest[float32])
}

type ncclNumber interface {
	int8 | uint8 | int32 | uint32 | int64 | uint64 | float32 | float64
}

func reduceNumbers[T ncclNumber](all [][]byte, op int) []byte {
	return reduceAs(all, func(x, y T) T { return combineNumbers(x, y, op) })
}

func reduceHalves(all [][]byte, op int, wide func(uint16) float32, round func(float32) uint16) []byte {
	return reduceAs(all, func(x, y uint16) uint16 { return round(combineNumbers(wide(x), wide(y), op)) })
}

func combineNumbers[T ncclNumber](x, y T, op int) T {
	switch op {
	case 0:
		return x + y
	case 1:
		return x * y
	case 2:
		return max(x, y)
	}
	return min(x, y)
}

func reduceAs[T any](all [][]byte, combine func(x, y T) T) []byte {
	last := len(all) - 1
	sum := append([]byte(nil), all[last]...)
	to := elements[T](sum)
	for rank := last - 1; rank >= 0; rank-- {
		for i, y := range elements[T](all[rank]) {
			to[i] = combine(to[i], y)
		}
	}
	return sum
}

// elements are bytes as elements of T, which a copy of Go's is aligned for.
func elements[T any](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}
