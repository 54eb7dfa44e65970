// Package parallel has the algorithms that programs are made of, on the buffers of a device: sums,
// scans, selections, sorts. They are CUB's, Thrust's and C++'s, for numbers, and for types and
// operators of yours.
//
//	w, err := parallel.New(dev.Stream())
//	…
//	defer w.Close()
//	sum, err := parallel.Sum(ctx, w, x)
//	err = parallel.Sort(w, keys)
//
// # Types and operators of yours
//
// An operator is a value of a type with a method: [Operator], [Order], [Predicate], [Mapping],
// [Equality]. Its fields, if it has any, are passed to the device. A line asks for the instance, and
// gridstride build compiles it with your package:
//
//	type byKey struct{}
//
//	func (byKey) Less(a, b Record) bool { return a.Key < b.Key }
//
//	//gpu:instance parallel.SortBy[Record,byKey]
//
//	err = parallel.SortBy(w, records, byKey{})
//
// Functions for [Number] have their instances here, for int, int32, int64, uint32, uint64, float32
// and float64. Without its instance a function returns [gridstride.ErrNoKernel], with the line to
// write.
//
// # Streams and memory
//
// A [Workspace] is a stream with working memory, which grows to what the largest call needs and is
// used again. A function that takes a context waits and returns its result. All others queue their
// work on the stream and return. Any number of goroutines may use a Workspace.
//
// # Results
//
// A result has the same bits each time, on every device and on the simulator. Elements are combined
// in an order that depends on their number alone. A buffer has up to 2^33 elements.
//
// # Errors
//
// A call that returns an error has not changed its operands. [ErrShort] and [ErrOverlap] say what is
// wrong with them. Buffers and streams return [gridstride.ErrWrongDevice], [gridstride.ErrFreed] and
// [gridstride.ErrClosed], and growing working memory [gridstride.ErrOutOfMemory]. After a kernel has
// failed on the stream, make another Workspace.
package parallel
