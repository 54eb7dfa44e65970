package memory

// Addresses in the shared memory of the blocks of a cluster. A block sees its own memory at the
// addresses that it has without a cluster, and the memory of the block with rank r at 16 Mi times
// r+1 further on.

const (
	rankShift = 24
	rankMask  = 0xff << rankShift
	// Ranks is how many ranks have addresses.
	Ranks = rankMask>>rankShift - 1
)

// PeerAddress is an address of shared memory, generic or not, as it is in the block of a rank.
func PeerAddress(addr uint64, rank int) uint64 { return OwnAddress(addr) | uint64(rank+1)<<rankShift }

// OwnAddress is an address of shared memory as it is in the block itself.
func OwnAddress(addr uint64) uint64 { return addr &^ rankMask }

// IsPeer reports whether an address of shared memory names a block by its rank.
func IsPeer(addr uint64) bool { return addr&rankMask != 0 }

// RankOf is the rank of an address for which IsPeer holds.
func RankOf(addr uint64) int { return int(addr&rankMask>>rankShift) - 1 }
