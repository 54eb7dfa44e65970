package lanes

import "fmt"

// Mbarrier is the word of an mbarrier in shared memory. PTX leaves the format open; this one holds
//
//	bits 0 to 19    arrivals pending in the phase under way
//	bits 20 to 39   arrivals expected in each phase
//	bits 40 to 60   bytes of transactions expected in the phase and not complete, two's complement
//	bits 61 to 63   the number of the phase, modulo 8
//
// A phase is over when no arrivals are pending and all transactions are complete. The word before
// an operation is the token of the phase in which it happened.
type Mbarrier uint64

const (
	countBits  = 20
	countMask  = 1<<countBits - 1
	txShift    = 2 * countBits
	txBits     = 21
	txMask     = 1<<txBits - 1
	phaseShift = txShift + txBits
)

// NewMbarrier is an mbarrier in its first phase.
func NewMbarrier(expected uint64) Mbarrier {
	return Mbarrier(expected&countMask<<countBits | expected&countMask)
}

// Pending is how many arrivals the phase under way still needs.
func (b Mbarrier) Pending() int { return int(b & countMask) }

// Expected is how many arrivals each phase needs.
func (b Mbarrier) Expected() int { return int(b >> countBits & countMask) }

// Transactions is how many bytes the phase under way still waits for.
func (b Mbarrier) Transactions() int {
	return int(int64(b<<(64-phaseShift)) >> (64 - txBits))
}

// Arrivals says what the phase under way has of arrivals: "3 of 4 arrivals". A count that has gone
// below none is more arrivals than the phase takes.
func (b Mbarrier) Arrivals() string {
	pending, expected := b.Pending(), b.Expected()
	if pending > countMask/2 && pending > expected {
		return fmt.Sprintf("%d arrivals more than the %d that it takes", countMask+1-pending, expected)
	}
	expected = max(expected, pending) // copies whose arrival is one more are awaited as well
	return fmt.Sprintf("%d of %d arrivals", expected-pending, expected)
}

// Bytes describes the pending bytes of the phase under way, to follow the words for its arrivals.
// It returns "" if none are pending.
func (b Mbarrier) Bytes() string {
	switch n := b.Transactions(); {
	case n > 0:
		return fmt.Sprintf(" and waits for %d bytes", n)
	case n < 0:
		return fmt.Sprintf(" and %d bytes more than it expects", -n)
	}
	return ""
}

// Phase is the number of the phase under way, modulo 8.
func (b Mbarrier) Phase() int { return int(b >> phaseShift) }

// Arrive is the mbarrier after n arrivals.
func (b Mbarrier) Arrive(n uint64) Mbarrier {
	return (b&^countMask | (b-Mbarrier(n))&countMask).next()
}

// Await is the mbarrier with n more arrivals pending in the phase under way.
func (b Mbarrier) Await(n uint64) Mbarrier { return b&^countMask | (b+Mbarrier(n))&countMask }

// Drop is the mbarrier with n arrivals fewer expected in the phases to come.
func (b Mbarrier) Drop(n uint64) Mbarrier {
	const mask = countMask << countBits
	return b&^mask | (b-Mbarrier(n)<<countBits)&mask
}

// Expect is the mbarrier with n more bytes of transactions to wait for.
func (b Mbarrier) Expect(n uint64) Mbarrier { return b.transact(n) }

// Complete is the mbarrier after transactions of n bytes.
func (b Mbarrier) Complete(n uint64) Mbarrier { return b.transact(-n).next() }

func (b Mbarrier) transact(n uint64) Mbarrier {
	const mask = txMask << txShift
	return b&^mask | (b+Mbarrier(n)<<txShift)&mask
}

// next begins the next phase where the one under way is over.
func (b Mbarrier) next() Mbarrier {
	if b&countMask != 0 || b.Transactions() != 0 {
		return b
	}
	return b + 1<<phaseShift + b>>countBits&countMask
}

// Over says whether the phase of a token is over.
func (b Mbarrier) Over(token uint64) bool { return b.Phase() != Mbarrier(token).Phase() }

// OverParity says whether the last phase of a parity is over: the phase under way has the other
// one.
func (b Mbarrier) OverParity(parity uint32) bool { return uint32(b.Phase()&1) != parity&1 }
