// Package check finds races, divergent barriers, bad accesses and uses of uninitialised data in
// kernels. It watches the event stream of package sim.
//
// Run executes one launch several times, each time in another order of blocks, warps and lanes and
// from the same memory, and gives one Report. Happens-before decides what a race is, never the
// order or the values that were seen: two accesses to the same byte, at least one of them a write,
// by two threads that nothing orders.
//
// Each tool is a room of its own: memcheck, racecheck, synccheck and initcheck. They stand in a
// list behind the interface of package tool, which hands them the events that they judge and has
// what they share: the book of findings, and the words for them. What they say is package report's.
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
// A race that shows in one interleaving of many needs luck: an order runs one of them. What
// fence.sc orders is taken for ordered where something that was observed forces it, whichever ran
// first; for all else an order of synchronisation that a run had is taken as it was. A strong
// access hides what came before it at the same word, such as the weak accesses of its own thread.
//
// Two barriers inlined from one function are told apart where one does not lead to the other, as in
// the branches of an if. Where it does, as with one call behind the other, PTX without inlined_at
// (ours has none: it would ask for a newer driver) does not tell them from copies of an unrolled
// loop, and threads that meet at both are a finding only for the pedantic.
//
// Data that nothing has written, and what a shuffle reads from a lane that takes no part in it, is
// not followed through the parameters of a function that is called and not inlined, and arithmetic
// spoils all of its result, also where it does not depend on such data, as in x*0. A select, and an
// and or an or of predicates, depend on what they choose.
//
// Racecheck's shadow takes 1 to 2 bytes for a byte of global memory where the threads of a warp
// access neighbouring elements, also where several threads read each, and at most 8 for all that
// TestShadowMemory tries. Where several threads each read bytes that lie in no order, lists of
// their readers would take more; then only one reader is remembered, which may hide a race of a
// later write with another reader.
package check
