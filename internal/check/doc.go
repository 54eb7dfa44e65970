// Package check finds races, divergent barriers, bad accesses and uses of uninitialised data in kernels, and counts what they do.
// It watches the event stream of package sim.
//
// Run executes one launch several times, each time in another order of blocks, warps and lanes and from the same memory, and gives
// one Report. Happens-before decides what a race is, never the order or the values that were seen: two accesses to the same byte,
// at least one of them a write, by two threads that nothing orders.
//
// The files: run.go drives, session.go hands events to the tools, race.go, order.go, release.go and shadow.go are racecheck,
// barrier.go is synccheck, initialized.go and taint.go are initcheck, memory.go is memcheck, profile.go counts; finding.go and
// report.go are what they have to say, and text.go, json.go and sarif.go how.
package check
