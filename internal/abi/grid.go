package abi

// SyncGrid is the name of the PTX function that gpu.SyncGrid becomes. A kernel that calls it is one
// for a cooperative launch, all of whose blocks run at once: so whoever launches a kernel sees it
// in the PTX. Its parameter, a .b64, is the address of the launch's fault record.
//
// A GPU runs its body, which the compiler writes. There the first thread of each block adds to the
// word at FaultOffGrid and waits until all have, and ends where the word at FaultOffEnded is set.
// The host sets both words to 0 before each launch. The simulator knows the function by its name
// and makes threads wait as at a barrier, so that it sees who never comes.
const SyncGrid = "gridstride_sync_grid"
