// Package host connects package gpu with package gpu/onhost, which imports it: what runs a kernel's
// threads on the host answers their calls.
package host

// Answer answers a call of the function of package gpu with that name by the thread that runs now.
// Its result has the function's result type, and is nil if the function has none. Answer is nil
// unless a launch is running. Package onhost sets it, and one thread of a launch runs at a time.
var Answer func(name string, args []any) any
