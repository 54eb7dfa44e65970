// Package host has the algorithms of package parallel on slices, on all cores.
//
//	sum := host.Sum(x)
//	host.Sort(keys)
//	n, err := host.Select(dst, src, func(x int) bool { return x > 0 })
//
// Names, operands and their order are package parallel's. There is no context and no workspace, since
// a call computes and returns. Elements may be of any type. An operator is a function, which follows
// its identity. parallel.Reduce(ctx, w, x, op) is Reduce(x, op.Identity(), op.Combine) here, and
// parallel.SortBy(w, x, byKey{}) is SortBy(x, byKey{}.Less). A count that package parallel leaves in a
// buffer is a result. ReduceTo and TransformReduceTo, which queue, have no counterpart.
//
// # Results
//
// A result has the same bits as package parallel's, with any number of cores: elements are combined in
// the same order. So one can be tested with the other. Only the payloads of NaNs may differ.
//
// # Operators
//
// Several goroutines call an operator at once, in any order, and perhaps twice with an element. So it
// must not change what another call of it reads. If an operator panics, the function panics in the
// caller's goroutine with the same value, and what it was to write has any values.
//
// # Cores and memory
//
// A call runs on up to GOMAXPROCS goroutines, including its caller's. The others end before it
// returns. Up to [Part] elements are worked on by the caller's goroutine alone, and up to Part/64 in a search. The comment of a
// function says what it allocates if that grows with the elements. Any number of goroutines may call
// the functions, with operands that no other goroutine writes.
//
// # When a loop is as fast
//
// A function with an operator calls it for each element, where a compiler puts a loop's operator in
// place. A scan reads elements twice, to have parts that cores can do at the same time. So a loop is
// as fast as a scan, or faster, with few cores and an operator that takes nanoseconds.
// docs/parallel.md has the times.
//
// # Errors
//
// [ErrShort], [ErrOverlap] and [ErrRange] say what is wrong with operands. A call that returns an
// error has not changed them.
package host
