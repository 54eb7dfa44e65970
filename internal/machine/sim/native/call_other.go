//go:build noasm || !amd64

package native

// processor is the target of this process: none.
func processor() target { return nil }

func (k *Kernel) call(start, entry uint32, c *Context) { panic("BUG: there is no code") }
