package ir

// SourceLoop is a loop as it is written. Passes copy loops and take them apart. Each block still
// knows the loop that it is from.
type SourceLoop struct {
	Pos    Pos         // of the statement
	Parent *SourceLoop // the loop around it, also one around the call of its function; or nil
	depth  int
}

// NewSourceLoop makes a loop inside another one, or an outermost one if parent is nil.
func NewSourceLoop(pos Pos, parent *SourceLoop) *SourceLoop {
	l := &SourceLoop{Pos: pos, Parent: parent, depth: 1}
	if parent != nil {
		l.depth = parent.depth + 1
	}
	return l
}

// Around is the innermost loop that is around both l and m. Where one is nil, it is the other.
func (l *SourceLoop) Around(m *SourceLoop) *SourceLoop {
	switch {
	case l == nil:
		return m
	case m == nil:
		return l
	}
	for l != m && l != nil {
		if m == nil || l.depth >= m.depth {
			l = l.Parent
		} else {
			m = m.Parent
		}
	}
	return l
}

// Source is the loop of the source that l is, or is a copy of. It is nil where that is not known.
func (ls *Loops) Source(l *Loop) (from *SourceLoop) {
	for _, b := range l.Blocks {
		if ls.Of(b) == l {
			from = from.Around(b.From)
		}
	}
	return from
}

// Remark says what a pass did to a loop, or what stood in its way.
type Remark struct {
	Loop *SourceLoop
	// Noun names the part of the loop that the remark is about, such as "load". Of is its position.
	// Both are zero for the loop itself.
	Noun string
	Of   Pos
	Deed string // the change: "unrolled"
	// Missed says that no pass did it. Detail is the reason then, else more about the deed.
	Missed bool
	Detail string
	At     Pos // of the reason, or zero
}

// Remarks collects the remarks about a function, each once. Nothing is collected by a nil *Remarks.
type Remarks struct {
	List []Remark
	Cut  bool // there were more than maxRemarks
	seen map[Remark]bool
}

// maxRemarks bounds the remarks about one function.
const maxRemarks = 1 << 14

// Add adds a remark.
func (r *Remarks) Add(m Remark) {
	switch {
	case r == nil || r.seen[m]:
		return
	case len(r.List) == maxRemarks:
		r.Cut = true
		return
	case r.seen == nil:
		r.seen = map[Remark]bool{}
	}
	r.seen[m] = true
	r.List = append(r.List, m)
}
