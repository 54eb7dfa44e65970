// Package host has the algorithms of package parallel on slices, on all cores.
//
//	sum := host.Sum(x)
//	host.Sort(keys)
//	n, err := host.Select(dst, src, func(x int) bool { return x > 0 })
//
// Names, operands and their order are package parallel's, without contexts and workspaces, since a
// call computes and returns. Elements may be of any type. An operator is a function, and with it goes
// its identity: what is parallel.Reduce(ctx, w, x, op) there is Reduce(x, op.Identity(), op.Combine)
// here, and parallel.SortBy(w, x, byKey{}) is SortBy(x, byKey{}.Less). A number that parallel leaves
// in a buffer is a result.
//
// # Results
//
// A result has the bits that package parallel's has, whatever the number of cores: elements are
// combined in the same order, which depends on their number and, in scans, on the size of an element.
// So one can be tested with the other. NaNs that are computed may have other payloads.
//
// # Operators
//
// Several goroutines call an operator at once, with elements in any order, and perhaps an element
// twice. It changes nothing that others read. A panic in an operator ends the call and goes on in the
// goroutine of the caller, with the same value. Then what the call writes is not known.
//
// # Cores and memory
//
// A call runs on up to GOMAXPROCS goroutines, its caller's among them, which end before it returns.
// Up to [Part] elements are worked on in place. What a function allocates is written with it, if it
// grows with the elements. Any number of goroutines may call the functions, with operands that no
// other goroutine writes.
//
// # Errors
//
// [ErrShort], [ErrOverlap] and [ErrRange] say what is wrong with operands. A call that returns an
// error has not changed them.
package host
