// Package litmus holds racecheck to PTX's memory model. It has small programs of two and three
// threads, an enumerator of what the model allows them to do, and a test that compares what both
// say of data races. It shares nothing with the checker but the text of the program.
//
//	program_test.go   programs, and their PTX
//	generate_test.go  programs by number
//	relation_test.go  relations between events
//	execution_test.go what a program may do: events, which write each read reads, orders
//	model_test.go     the model's definitions and axioms
//	known_test.go     published litmus tests, which the enumerator must decide as published
//	agree_test.go     the comparison
//
// The model is from the PTX ISA manual, chapter "Memory Consistency Model", in the form of D.
// Lustig, S. Sahasrabuddhe and O. Giroux, "A formal analysis of the NVIDIA PTX memory consistency
// model", ASPLOS 2019.
package litmus

import (
	"fmt"
	"strings"
)

// kind is the kind of an instruction.
type kind uint8

const (
	load kind = iota
	store
	add  // atom.add of 1
	exch // atom.exch
	cas  // atom.cas from 0 to val
	fence
	barrier  // bar.sync of the block
	warpSync // bar.warp.sync of the lanes of the program in the warp
)

// order is the memory order of an instruction.
type order uint8

const (
	weak order = iota
	volatile
	relaxed
	acquire
	release
	acqRel
	seqCst // of fences only
)

// scope is which threads an instruction is strong with.
type scope uint8

const (
	cta scope = iota
	gpu
)

// use is a thread's use of the value it read.
type use uint8

const (
	ignore use = iota
	poll       // it repeats a load until the value is not 0, a compare-and-swap until it succeeds
	branch     // it ends unless the value is the instruction's want
)

// instr is one instruction.
type instr struct {
	kind  kind
	loc   int // of a memory access
	order order
	scope scope
	val   uint32 // that a store, an exch or a cas writes
	use   use
	want  uint32 // by branch
}

func (i instr) reads() bool  { return i.kind == load || i.atomic() }
func (i instr) atomic() bool { return i.kind == add || i.kind == exch || i.kind == cas }
func (i instr) memory() bool { return i.kind <= cas }

// strong reports that the instruction takes part in synchronisation.
func (i instr) strong() bool { return i.kind == fence || i.memory() && i.order != weak }

func (i instr) acquires() bool {
	return i.reads() && (i.order == acquire || i.order == acqRel)
}

func (i instr) releases() bool {
	return (i.kind == store || i.atomic()) && (i.order == release || i.order == acqRel)
}

// thread is a thread's instructions and place.
type thread struct {
	block, warp, lane int
	code              []instr
}

// program is a litmus program. All locations hold 0 at its start.
type program struct {
	threads []thread
	// space is "global", or "shared" for threads of one block.
	space string
}

var (
	orderNames = [...]string{"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc"}
	scopeNames = [...]string{"cta", "gpu"}
)

// String shows a program, a thread a line.
func (p program) String() string {
	var b strings.Builder
	for i, t := range p.threads {
		fmt.Fprintf(&b, "T%d (block %d, warp %d, lane %d):", i, t.block, t.warp, t.lane)
		for _, in := range t.code {
			fmt.Fprintf(&b, " %s;", in)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (i instr) String() string {
	at := fmt.Sprintf("[%c]", "xyzfgh"[i.loc])
	var s string
	switch i.kind {
	case load:
		s = "ld." + i.qualifier() + at
	case store:
		s = fmt.Sprintf("st.%s%s=%d", i.qualifier(), at, i.val)
	case add:
		s = "add." + i.qualifier() + at
	case exch:
		s = fmt.Sprintf("exch.%s%s=%d", i.qualifier(), at, i.val)
	case cas:
		s = fmt.Sprintf("cas.%s%s=0->%d", i.qualifier(), at, i.val)
	case fence:
		s = "fence." + i.qualifier()
	case barrier:
		return "bar.sync"
	case warpSync:
		return "bar.warp.sync"
	}
	switch i.use {
	case poll:
		s += " until it goes on"
	case branch:
		s += fmt.Sprintf(" if %d", i.want)
	}
	return s
}

// qualifier is the memory order and scope in PTX.
func (i instr) qualifier() string {
	if i.order == weak || i.order == volatile {
		return orderNames[i.order]
	}
	return orderNames[i.order] + "." + scopeNames[i.scope]
}

// blocks and blockSize are the launch that has all threads of the program.
func (p program) blocks() int {
	n := 0
	for _, t := range p.threads {
		n = max(n, t.block+1)
	}
	return n
}

func (p program) blockSize() int {
	n := 0
	for _, t := range p.threads {
		n = max(n, t.id()+1)
	}
	return n
}

// id is the thread's index in its block.
func (t thread) id() int { return 32*t.warp + t.lane }

// lanes is the mask of the program's threads in one warp.
func (p program) lanes(block, warp int) uint32 {
	var mask uint32
	for _, t := range p.threads {
		if t.block == block && t.warp == warp {
			mask |= 1 << t.lane
		}
	}
	return mask
}

// locations is how many locations there may be in a program.
const locations = 6

// ptx is the program as a kernel named litmus. Its parameter is the memory of the locations, a word
// each. In shared memory the kernel has its own, which the first thread of the program clears.
func (p program) ptx() string {
	var b strings.Builder
	b.WriteString(".version 6.0\n.target sm_70\n.address_size 64\n")
	b.WriteString(".visible .entry litmus(.param .u64 mem) {\n")
	b.WriteString(".reg .pred %p; .reg .b32 %r<8>; .reg .b64 %a;\n")
	if p.space == "shared" {
		fmt.Fprintf(&b, ".shared .align 4 .b8 words[%d];\nmov.u64 %%a, words;\n", 4*locations)
		b.WriteString("mov.u32 %r0, %tid.x;\nsetp.ne.u32 %p, %r0, 0;\n@%p bra CLEARED;\n")
		for i := range locations {
			fmt.Fprintf(&b, "st.shared.u32 [%%a+%d], 0;\n", 4*i)
		}
		b.WriteString("CLEARED:\n")
		for range (p.blockSize() + 31) / 32 { // the last warp at a barrier goes on first: so each does once
			b.WriteString("bar.sync 0;\n")
		}
	} else {
		b.WriteString("ld.param.u64 %a, [mem];\ncvta.to.global.u64 %a, %a;\n")
	}
	b.WriteString("mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\nshl.b32 %r0, %r0, 16;\nor.b32 %r0, %r0, %r1;\n")
	for i, t := range p.threads {
		fmt.Fprintf(&b, "setp.eq.u32 %%p, %%r0, %d;\n@%%p bra T%d;\n", t.block<<16|t.id(), i)
	}
	b.WriteString("ret;\n")
	for i, t := range p.threads {
		fmt.Fprintf(&b, "T%d:\n", i)
		for j, in := range t.code {
			p.printInstr(&b, t, in, fmt.Sprintf("L%d_%d", i, j))
		}
		b.WriteString("ret;\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// printInstr writes one instruction. label is the program's own for a loop.
func (p program) printInstr(b *strings.Builder, t thread, in instr, label string) {
	at := fmt.Sprintf("[%%a+%d]", 4*in.loc)
	q := "." + in.qualifier() + "." + p.space
	if in.order == weak {
		q = "." + p.space
	}
	if in.use == poll {
		fmt.Fprintf(b, "%s:\n", label)
	}
	switch in.kind {
	case load:
		fmt.Fprintf(b, "ld%s.u32 %%r2, %s;\n", q, at)
	case store:
		fmt.Fprintf(b, "st%s.u32 %s, %d;\n", q, at, in.val)
	case add:
		fmt.Fprintf(b, "atom%s.add.u32 %%r2, %s, 1;\n", atomQualifier(in, p.space), at)
	case exch:
		fmt.Fprintf(b, "atom%s.exch.b32 %%r2, %s, %d;\n", atomQualifier(in, p.space), at, in.val)
	case cas:
		fmt.Fprintf(b, "atom%s.cas.b32 %%r2, %s, 0, %d;\n", atomQualifier(in, p.space), at, in.val)
	case fence:
		fmt.Fprintf(b, "fence.%s;\n", in.qualifier())
	case barrier:
		b.WriteString("bar.sync 0;\n")
	case warpSync:
		fmt.Fprintf(b, "bar.warp.sync %d;\n", p.lanes(t.block, t.warp))
	}
	switch in.use {
	case poll:
		again := "eq" // a flag that is not set, a lock that is taken
		if in.kind == cas {
			again = "ne"
		}
		fmt.Fprintf(b, "setp.%s.u32 %%p, %%r2, 0;\n@%%p bra %s;\n", again, label)
	case branch:
		fmt.Fprintf(b, "setp.ne.u32 %%p, %%r2, %d;\n@%%p ret;\n", in.want)
	}
}

func atomQualifier(in instr, space string) string {
	return fmt.Sprintf(".%s.%s.%s", orderNames[in.order], scopeNames[in.scope], space)
}
