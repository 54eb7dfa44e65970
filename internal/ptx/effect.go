package ptx

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Effects is one row of the effect table. It describes the instructions of the row: the memory they
// access, the threads they bring together, the agent that does their work, and the role of each
// operand. The decoder, the machine, the checks and the counters read it and keep no lists of
// opcodes. Rows are shared and must not be changed. They may be read concurrently.
type Effects struct {
	Kind   Kind
	Meets  Meeting
	Waits  Wait
	Agent  AgentKind
	Orders bool // threads that meet here also see what the others have done in memory
	Whole  bool // a warp comes to the meeting as a whole

	row      string // the line of the table
	op       []string
	mods     [][]string // each word is one of these modifiers
	operands []operandEffect
	sizes    uint8 // a bit for each TouchSize of the operands
}

// Kind is the class of an instruction.
type Kind uint8

// The kinds of instructions. NoKind is an instruction that the table does not have.
const (
	NoKind Kind = iota
	Computes
	Moves      // the result has bytes of the sources, each in its old place
	Nothing    // a hint, which changes nothing that a program can see
	Loads      // from memory to registers
	Stores     // from registers to memory
	Updates    // an atomic
	Fetches    // texels of a texture or a surface to registers
	Fences     // memory as threads see it
	Barriers   // threads meet
	Exchanges  // values go from lane to lane
	Votes      // lanes compute one value together
	Multiplies // matrices
	Copies     // from memory to memory
	Commits    // ends a group of an agent's work
	Awaits     // groups of an agent's work, or a phase of an mbarrier
	Makes      // an mbarrier, or ends one
	Signals    // counts for a phase of an mbarrier
	Jumps      // to a label
	Switches   // to one of a table of labels
	Calls
	Returns
	Exits
	Traps
	Breaks
	Pauses
	Registers // moves registers from warp to warp
)

// Meeting is which threads an instruction brings together.
type Meeting uint8

// The meetings, in the order of how many threads come.
const (
	NoMeeting     Meeting = iota
	MeetMask              // lanes of a warp that a mask names
	MeetWarp              // all lanes of a warp
	MeetWarpgroup         // four warps
	MeetBlock             // threads of a block
	MeetCluster           // threads of a cluster
)

// Wait says what an instruction waits for.
type Wait uint8

// What instructions wait for.
const (
	NoWait      Wait = iota
	WaitThreads      // the threads that it meets
	WaitGroups       // groups of an agent's work
	WaitPhase        // a phase of an mbarrier; the wait may fail
)

// AgentKind names the asynchronous unit that does the work of an instruction.
type AgentKind uint8

// The agents.
const (
	NoAgent      AgentKind = iota
	CopyAgent              // cp.async
	BulkAgent              // cp.async.bulk
	ProductAgent           // wgmma
)

// Role says what an operand is for.
type Role uint8

// The roles.
const (
	NoRole    Role = iota
	Result         // a register that is written
	Sum            // registers that are read and written
	Data           // a value that is computed with, stored or sent
	Compared       // a value that is compared with memory
	Condition      // a predicate that is combined with the result, and can decide it alone
	Predicate      // another predicate
	Chooser        // a predicate that chooses between two values
	Address        // of memory: see Touch
	Handle         // the handle of a texture or a surface, and coordinates
	Factor         // a matrix of a product: its registers, or its descriptor
	Count          // of an mbarrier: arrivals or bytes
	Phase          // of an mbarrier: a token or a parity
	Bytes          // the number of bytes to copy
	Size           // the number of those bytes to read; the rest is filled with zeros
	Field          // the new value of a field of a tensor map
	Stride         // of a matrix
	Blocks         // of a multicast
	Policy         // of a cache
	Mask           // of lanes
	Lane           // the lane, or distance, of a shuffle, and its bounds
	Barrier        // its number
	Threads        // the number of threads that a barrier waits for
	Target         // a label, or a table of labels
	Index          // into a table of labels
	Callee         // a function
	Time           // a limit of a wait, or the length of a pause
	Constant       // part of the opcode, such as the table of lop3
)

// Touch describes the access at an operand of role Address or Handle.
type Touch struct {
	Read, Write bool
	// Size says how many bytes a thread reads or writes.
	Size TouchSize
	// Fixed is the number of bytes of FixedSize.
	Fixed int
}

// TouchSize is a rule for the number of bytes of an access.
type TouchSize uint8

// The rules. NoSize is an address that is not accessed.
const (
	NoSize       TouchSize = iota
	TypeSize               // the type's, times the elements of the vector
	FixedSize              // Touch.Fixed
	OperandSize            // the operand of role Bytes
	BoxSize                // the box of a tensor map
	FragmentSize           // the lane's fragment of a matrix
	TexelSize              // a texel of the texture or surface
)

// operandEffect describes one operand of a row.
type operandEffect struct {
	role     Role
	touch    Touch
	optional bool
	ifMod    []string // the operand is there if the instruction has one of these modifiers
	repeats  bool
}

// effectWords are the words of the effect table that are not operands.
var effectWords = map[string]func(*Effects){
	"orders": func(e *Effects) { e.Orders = true },
	"whole":  func(e *Effects) { e.Whole = true },
}

func init() {
	for i, w := range kindWords {
		effectWords[w] = func(e *Effects) { e.Kind = Kind(i) }
	}
	for i, w := range meetingWords {
		effectWords["meets="+w] = func(e *Effects) { e.Meets = Meeting(i) }
	}
	for i, w := range waitWords {
		effectWords["waits="+w] = func(e *Effects) { e.Waits = Wait(i) }
	}
	for i, w := range agentWords {
		effectWords["agent="+w] = func(e *Effects) { e.Agent = AgentKind(i) }
	}
}

// The words by which the table says kinds, meetings, waits, agents and roles.
var (
	kindWords = [...]string{"", "computes", "moves", "nothing", "loads", "stores", "updates", "fetches", "fences", "barriers",
		"exchanges", "votes", "multiplies", "copies", "commits", "awaits", "makes", "signals", "jumps", "switches",
		"calls", "returns", "exits", "traps", "breaks", "pauses", "registers"}
	meetingWords = [...]string{"", "mask", "warp", "warpgroup", "block", "cluster"}
	waitWords    = [...]string{"", "threads", "groups", "phase"}
	agentWords   = [...]string{"", "copy", "bulk", "product"}
	roleWords    = [...]string{"", "result", "sum", "data", "compared", "condition", "predicate", "chooser", "address", "handle", "factor", "count", "phase",
		"bytes", "size", "field", "stride", "blocks", "policy", "mask", "lane", "barrier", "threads", "target", "index", "callee", "time",
		"constant"}
)

// String is the kind as the table says it.
func (k Kind) String() string { return kindWords[k] }

// String is the role as the table says it.
func (r Role) String() string { return roleWords[r] }

// String is the row's line of the table.
func (e *Effects) String() string { return e.row }

// effectRows is the effect table. It is a variable for the mutation run of internal/proof/effects.
var effectRows = effectTable

// EffectRows are the rows of the effect table, in its order.
func EffectRows() []*Effects { return parseEffects(effectRows) }

// noEffects describes an instruction that the table does not have.
var noEffects = &Effects{}

// effects are the rows of the effect table by opcode, those with the most modifiers first.
var effects = sync.OnceValue(func() map[string][]*Effects {
	byOp := map[string][]*Effects{}
	for _, e := range parseEffects(effectRows) {
		for _, op := range e.op {
			byOp[op] = append(byOp[op], e)
		}
	}
	for _, list := range byOp {
		slices.SortStableFunc(list, func(a, b *Effects) int { return len(b.mods) - len(a.mods) })
	}
	return byOp
})

// Effects returns the row of an instruction. It is never nil: for a nil instruction, and for one
// that the table does not have, Kind is NoKind.
func (in *Instr) Effects() *Effects {
	if in == nil {
		return noEffects
	}
	for _, e := range effects()[in.Op] {
		if e.has(in.Mods) {
			return e
		}
	}
	return noEffects
}

// has reports whether an opcode with these modifiers is of the row.
func (e *Effects) has(mods []string) bool {
	for _, word := range e.mods {
		if !anyOf(word, mods) {
			return false
		}
	}
	return true
}

func anyOf(word, mods []string) bool {
	for _, m := range mods {
		if slices.Contains(word, m) {
			return true
		}
	}
	return false
}

// parseEffects reads the effect table. A mistake in it is a bug.
func parseEffects(table string) (list []*Effects) {
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, parseEffect(line))
		}
	}
	return list
}

// parseEffect reads one row of the effect table.
func parseEffect(line string) *Effects {
	opcode, rest, _ := strings.Cut(line, " :")
	does, operands, ok := strings.Cut(rest, ":")
	if !ok {
		panic("BUG: effect without operands: " + line)
	}
	words := strings.Fields(opcode)
	e := &Effects{row: line, op: strings.Split(words[0], "|")}
	for _, w := range words[1:] {
		e.mods = append(e.mods, strings.Split(w, "|"))
	}
	for w := range strings.FieldsSeq(does) {
		set := effectWords[w]
		if set == nil {
			panic("BUG: unknown effect " + w + ": " + line)
		}
		set(e)
	}
	if operands = strings.TrimSpace(operands); operands != "" {
		for o := range strings.SplitSeq(operands, ",") {
			use := parseOperandEffect(strings.TrimSpace(o), line)
			e.operands = append(e.operands, use)
			e.sizes |= 1 << use.touch.Size
		}
	}
	return e
}

// parseOperandEffect reads "read 8", "count?", "policy/L2::cache_hint" or "data...".
func parseOperandEffect(s, line string) operandEffect {
	var o operandEffect
	s, mods, conditional := strings.Cut(s, "/")
	if conditional {
		o.ifMod = strings.Split(mods, "|")
	}
	s, o.optional = strings.CutSuffix(s, "?")
	s, o.repeats = strings.CutSuffix(s, "...")
	word, size, _ := strings.Cut(s, " ")
	switch word {
	case "read", "write", "update":
		o.role = Address
		o.touch = Touch{Read: word != "write", Write: word != "read"}
		if o.touch.Size, o.touch.Fixed = touchSize(size, line); o.touch.Size == TexelSize {
			o.role = Handle
		}
		return o
	}
	i := slices.Index(roleWords[1:], word)
	if i < 0 || size != "" {
		panic("BUG: unknown operand " + s + ": " + line)
	}
	o.role = Role(i + 1)
	return o
}

// touchSize reads the size of an access.
func touchSize(s, line string) (TouchSize, int) {
	switch s {
	case "T":
		return TypeSize, 0
	case "bytes":
		return OperandSize, 0
	case "box":
		return BoxSize, 0
	case "fragment":
		return FragmentSize, 0
	case "texel":
		return TexelSize, 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("BUG: unknown size " + s + ": " + line)
	}
	return FixedSize, n
}

// Uses is the use of one operand.
type Uses struct {
	Role  Role
	Touch Touch
}

// Uses returns the use of each of in.Args. If optional operands are missing, those that are present
// are the first ones.
func (e *Effects) Uses(in *Instr) []Uses {
	if in == nil {
		return nil
	}
	there := func(o *operandEffect) bool { return o.ifMod == nil || anyOf(o.ifMod, in.Mods) }
	spare := len(in.Args)
	for i := range e.operands {
		if o := &e.operands[i]; there(o) && !o.optional {
			spare--
		}
	}
	list := make([]Uses, 0, len(in.Args))
	for i := range e.operands {
		o := &e.operands[i]
		switch {
		case !there(o) || o.optional && spare <= 0:
			continue
		case o.optional:
			spare--
		}
		list = append(list, Uses{o.role, o.touch})
		for ; o.repeats && spare > 0; spare-- {
			list = append(list, Uses{o.role, o.touch})
		}
	}
	for len(list) < len(in.Args) {
		list = append(list, Uses{})
	}
	return list[:len(in.Args)]
}

// Operand returns the number of the first operand with a role, -1 without one.
func (e *Effects) Operand(in *Instr, role Role) int {
	return slices.IndexFunc(e.Uses(in), func(u Uses) bool { return u.Role == role })
}

// Branches reports whether the instruction is a jump or a switch.
func (e *Effects) Branches() bool { return e.Kind == Jumps || e.Kind == Switches }

// Controls reports whether a basic block ends at the instruction: lanes part, meet or end there.
func (e *Effects) Controls() bool {
	switch e.Kind {
	case Jumps, Switches, Calls, Returns, Exits, Traps, Breaks:
		return true
	}
	return e.Meets != NoMeeting
}

// Leaves reports whether no instruction after this one runs, unless something branches to it or the
// guard is false.
func (e *Effects) Leaves() bool {
	switch e.Kind {
	case Jumps, Switches, Returns, Exits, Traps:
		return true
	}
	return false
}

// Accesses reports whether the size of an access of the instruction has a rule.
func (e *Effects) Accesses(size TouchSize) bool {
	return e.sizes>>size&1 != 0
}

// Reads reports whether the instruction reads memory, by itself or by its agent.
func (e *Effects) Reads() bool {
	return slices.ContainsFunc(e.operands, func(o operandEffect) bool { return o.touch.Read || o.role == Factor })
}

// Writes reports whether the instruction writes memory, by itself or by its agent.
func (e *Effects) Writes() bool {
	return slices.ContainsFunc(e.operands, func(o operandEffect) bool { return o.touch.Write })
}

// Bytes is the number of bytes that a thread reads or writes at the operand. It is 0 if the number
// depends on an operand, a tensor map or the shape of a matrix.
func (t Touch) Bytes(d *Decoded) int {
	switch t.Size {
	case TypeSize:
		return d.Type.Bytes() * max(d.Lanes, 1)
	case FixedSize:
		return t.Fixed
	}
	return 0
}
