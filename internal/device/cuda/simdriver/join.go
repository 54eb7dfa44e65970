//go:build linux

package simdriver

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// ncclID is an ncclUniqueId.
type ncclID [128]byte

// joining is a clique whose ranks come one by one.
type joining struct {
	of    *clique
	come  int
	twice bool          // two ranks are on one GPU
	all   chan struct{} // closed when all have come
}

// joinTime is how long a rank waits for the others.
const joinTime = 20 * time.Second

func (n *NCCL) uniqueID(to uintptr) uintptr {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.log = append(n.log, "ncclGetUniqueId")
	n.next += 0x10
	id := at[ncclID](to)
	*id = ncclID{}
	binary.LittleEndian.PutUint64(id[:], uint64(n.next))
	return uintptr(n.planned("ncclGetUniqueId"))
}

// initRank makes the communicator of a rank on the calling thread's GPU, when all ranks have come.
func (n *NCCL) initRank(to, ranks, rank, ids, id, config uintptr) uintptr {
	c, found := n.d.thread()
	if found != 0 || ids != 1 || config != 0 || rank >= ranks {
		return ncclInvalidArgument
	}
	j, result := n.joinAs(*at[ncclID](id), int(rank), int(ranks), int32(c.dev.number))
	if result != 0 {
		return result
	}
	select {
	case <-j.all:
	case <-time.After(joinTime):
		return ncclInternalError
	}
	if j.twice {
		return ncclInvalidUsage
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next += 0x10
	n.comms[n.next] = &ncclComm{of: j.of, rank: int(rank)}
	*at[uintptr](to) = n.next
	return 0
}

// joinAs notes that a rank has come.
func (n *NCCL) joinAs(id ncclID, rank, ranks int, dev int32) (*joining, uintptr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.log = append(n.log, fmt.Sprintf("ncclCommInitRankScalable %d", rank))
	if r := n.planned("ncclCommInitRankScalable"); r != 0 {
		return nil, uintptr(r)
	}
	j := n.joined[id]
	if j == nil {
		j = &joining{of: newClique(slices.Repeat([]int32{-1}, ranks)), all: make(chan struct{})}
		n.joined[id] = j
	}
	if len(j.of.devices) != ranks || j.of.devices[rank] >= 0 {
		return nil, ncclInvalidUsage
	}
	j.twice = j.twice || slices.Contains(j.of.devices, dev)
	j.of.devices[rank] = dev
	if j.come++; j.come == ranks {
		delete(n.joined, id)
		close(j.all)
	}
	return j, 0
}
