//go:build noasm || (!amd64 && !arm64)

package native

// processor is the target of this process: none.
func processor() target { return nil }

// Possible says whether there is a target for any processor of this architecture.
const Possible = false

// Suits reports whether there is a target for the processor.
func Suits() bool { return false }

// Wide reports whether the code has vectors of 512 bits.
func Wide() bool { return false }

func (k *Kernel) call(start, entry uint32, c *Context) { panic("BUG: there is no code") }
