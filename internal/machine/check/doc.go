// Package check finds races, divergent barriers, bad accesses and uses of uninitialised data in
// kernels. It watches the event stream of package sim.
//
// Run executes one launch several times, each time in another order of blocks, warps and lanes and
// from the same memory, and gives one Report. A race is two accesses to the same byte, at least one
// of them a write, by two threads that nothing orders. Happens-before decides whether two accesses
// are ordered. The order in which they happened to run, and the values that they saw, do not
// matter.
//
// Each tool is a package: memcheck, racecheck, synccheck and initcheck. All implement the interface
// of package tool. That package hands them the events that they judge, and has the book of findings
// and the words for them. Package report has the type of a finding.
//
//   - racecheck: history.go and shadow.go (what is remembered of memory), racecheck.go (accesses),
//     span.go (of many lanes at once), partial.go (barriers), release.go (atomics and fences),
//     agent.go (copies), mbarrier.go, sighting.go and finding.go
//   - synccheck: synccheck.go, trail.go (who skipped a barrier, and who returned early),
//     explain.go, copies.go (of a barrier), rounds.go (of a loop) and mbarrier.go
//   - initcheck: initialized.go, taint.go, usage.go, and shuffle.go for synccheck
//   - memcheck: memcheck.go (faults of the simulator) and record.go (checks of the kernel's own)
//
// Here, run.go runs a launch in one order after the other, and allow.go knows what was allowed.
//
// What racecheck means is PTX's memory model. Package litmus holds it to that: an enumerator of the
// model, which shares nothing with this package, decides programs of a few instructions, and
// racecheck, when pedantic, has to say the same of each.
//
// # Limits
//
// An order runs one interleaving of many, so a race that only some interleavings show may be
// missed. If an observed value forces the order of two fence.sc, what they order counts as ordered
// whichever ran first. All other synchronisation is judged in the order that it had in the run. The
// record of a strong access replaces records of earlier accesses to the same word, such as the weak
// accesses of its own thread.
//
// Two barriers inlined from one function are told apart if neither leads to the other, as in the
// two branches of an if. If one leads to the other, as with two calls in sequence, PTX without
// inlined_at does not tell them from copies of an unrolled loop. (Our PTX has no inlined_at, since
// it would ask for a newer driver.) Threads that meet at both are then a finding only for the
// pedantic.
//
// Unwritten data, and what a shuffle reads from a lane that takes no part in it, is not followed
// through the parameters of a function that is called and not inlined. Arithmetic on such data
// spoils the whole result, even if the result does not depend on it, as in x*0. A select, and an
// and or an or of predicates, depend on what they choose.
//
// Racecheck's shadow takes 1 to 2 bytes for a byte of global memory if the threads of a warp access
// neighbouring elements, also if several threads read each, and at most 8 for all that
// TestShadowMemory tries. If several threads each read bytes in no order, lists of their readers
// would take more. Then only one reader is remembered, which may hide a race between another reader
// and a later write.
package check
