// Package check finds races, divergent barriers, bad accesses and uses of uninitialised data in
// kernels. It watches the event stream of package sim.
//
// Run executes one launch several times, each time in another order of blocks, warps and lanes and
// from the same memory, and gives one Report. Happens-before decides what a race is, never the
// order or the values that were seen: two accesses to the same byte, at least one of them a write,
// by two threads that nothing orders.
//
// The files: run.go drives, session.go hands events to the tools, book.go collects what they find.
// racecheck is shadow.go (what is remembered of memory), race.go (accesses), partial.go (barriers),
// release.go (atomics and fences), poll.go (loads that wait) and sighting.go; synccheck is barrier.go, copies.go (of a
// barrier, by flow.go) and rounds.go; initcheck is initialized.go, taint.go and usage.go, and
// follows for synccheck what shuffles read (shuffle.go); memcheck is memory.go and failed.go.
// name.go and racefinding.go put into words what package report has the form for, and allow.go knows
// what was allowed.
//
// What racecheck means is PTX's memory model. Package litmus holds it to that: an enumerator of the
// model, which shares nothing with this package, decides programs of a few instructions, and
// racecheck, when pedantic, has to say the same of each.
//
// # Limits
//
// A race that shows in one interleaving of many needs luck: an order runs one of them. What fence.sc
// orders is taken for ordered where something that was observed forces it, whichever ran first; for
// all else an order of synchronisation that a run had is taken as it was.
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
// Racecheck's shadow takes 2 to 6 bytes for a byte of global memory that one thread accesses, about
// 9 for a single byte that one writes and another reads later. What several threads read since it
// was written has a list of them besides, 20 bytes for every two, for each word, or for each byte
// where accesses are narrower: three readers at three places come to about 13 bytes for a byte of
// words and 48 for a single byte.
package check
