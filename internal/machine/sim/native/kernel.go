package native

import (
	"runtime"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
)

// Options say how kernels are compiled.
type Options struct {
	// Shared and Memos are where Context.Segs has the segment of a block's shared memory, and the
	// first of those that accesses met last.
	Shared, Memos int
	// Narrow has vectors of 256 bits where the processor has wider ones. It is for tests.
	Narrow bool
	// Leave, when not nil, names known instructions that the interpreter is to run. It is for tests.
	Leave func(b *code.Block, i int) bool
}

// Exit is a place at which the code exits. Inst is the block's next instruction, or the number of its
// instructions when its end is next.
type Exit struct {
	Block *code.Block
	Inst  int
}

// Block has the entries of a block, by instruction.
type Block struct {
	Entries []Entry
	// Due is the number of the exit at the block's end, -1 if the code does not know the end.
	Due int
	// Place is the block's number in Kernel.Places.
	Place int
}

// Entry is where the code of an instruction begins: for all lanes of a warp, and for some of them. The
// zero Entry is none.
type Entry struct {
	All, Some uint32
}

// Kernel is a compiled kernel. Goroutines may run it at the same time, each with its Context.
type Kernel struct {
	Exits  []Exit
	Places []*code.Block // all blocks
	Blocks map[*code.Block]*Block
	// Fresh has the registers of a function that must have their values when a call of it begins. The
	// others may hold anything, except constants.
	Fresh map[*code.Func][]Span
	text  []byte
	// starts are the code that runs before an entry: for all lanes and for some.
	starts Entry
}

// program is the code of a kernel for a processor.
type program struct {
	text   []byte
	exits  []Exit
	places []*code.Block
	blocks map[*code.Block]*Block
	starts Entry
}

// target is a processor.
type target interface {
	// knows reports whether the processor's code can have an instruction.
	knows(in *code.Inst, f *code.Func) bool
	// compile makes the code of a kernel. plans has its functions.
	compile(plans []*plan, o *Options) *program
}

// Compile compiles a kernel. It returns nil if it knows none of its instructions, if the
// processor has no target, if the system refuses executable memory, or if the code of all kernels
// would take too much memory.
func Compile(k *code.Kernel, o Options) *Kernel {
	to := processor()
	if to == nil || Size(k) > mostInsts {
		return nil
	}
	if wide, ok := to.(interface{ narrow() target }); ok && o.Narrow {
		to = wide.narrow()
	}
	var plans []*plan
	known := 0
	for _, f := range k.Funcs {
		p := newPlan(f, to, &o)
		plans = append(plans, p)
		known += p.known
	}
	if known == 0 {
		return nil
	}
	c := load(to.compile(plans, &o))
	if c == nil {
		return nil
	}
	c.Fresh = map[*code.Func][]Span{}
	for _, p := range plans {
		c.Fresh[p.fn] = p.fresh()
	}
	return c
}

// Bounds of the memory that code takes: instructions of a kernel, some hundred bytes each, and
// bytes of all kernels of the process. Kernels beyond them are interpreted.
const (
	mostInsts = 1 << 15
	mostBytes = 1 << 28
)

// heldBytes is how many bytes the code of all kernels has.
var heldBytes atomic.Int64

// Size is how many instructions a kernel has, with its functions.
func Size(k *code.Kernel) (n int) {
	for _, f := range k.Funcs {
		for _, b := range f.Blocks {
			n += len(b.Insts) + 1
		}
	}
	return n
}

// load makes code executable, nil if that is not possible. The memory goes back when the Kernel is
// garbage.
func load(p *program) *Kernel {
	n := int64(len(p.text))
	if heldBytes.Add(n) > mostBytes {
		heldBytes.Add(-n)
		return nil
	}
	text := executable(p.text)
	if text == nil {
		heldBytes.Add(-n)
		return nil
	}
	to := &Kernel{Exits: p.exits, Places: p.places, Blocks: p.blocks, text: text, starts: p.starts}
	runtime.AddCleanup(to, unload, text)
	return to
}

func unload(text []byte) {
	heldBytes.Add(-int64(len(text)))
	release(text)
}

// Size is the size of the code in bytes.
func (k *Kernel) Size() int { return len(k.text) }

// Run runs the code from an entry on, for the lanes of c.Mask. all says that they are all lanes that
// there are in the register file. It returns the number of the exit.
func (k *Kernel) Run(e Entry, all bool, c *Context) int {
	c.ran, c.stored = 0, 0
	c.Parting.begin()
	if c.Mate != nil && c.Moved {
		c.stored = 1
	}
	start, entry := k.starts.Some, e.Some
	if all {
		start, entry = k.starts.All, e.All
	}
	k.call(start, entry, c)
	runtime.KeepAlive(k)
	return int(c.exit)
}
