package ir

// Loop is a natural loop: the basic blocks from which a back edge to Header can be reached without
// passing Header, which dominates them all. Loops that share a header are one loop. A cycle with
// two entries, which goto can make, is no Loop.
type Loop struct {
	Header   *Block
	Latches  []*Block // where the back edges begin
	Blocks   []*Block // all blocks, also of inner loops, Header first, in reverse postorder
	Parent   *Loop    // the loop around this one, or nil
	Children []*Loop
	Depth    int // 1 for an outermost loop
}

// Loops is the loop nest of a function.
type Loops struct {
	All []*Loop // inner loops before the loops around them

	of []*Loop // by block ID
}

// Loops finds the loop nest. d must be f's current dominator tree.
func (f *Func) Loops(d *Dom) *Loops {
	ls := &Loops{of: make([]*Loop, f.nextBlock)}
	// Inner headers come later in reverse postorder, so going backwards finds inner loops first.
	for i := len(d.Order) - 1; i >= 0; i-- {
		h := d.Order[i]
		var latches []*Block
		for _, p := range h.Preds {
			if d.Dominates(h, p) {
				latches = append(latches, p)
			}
		}
		if latches != nil {
			ls.collect(&Loop{Header: h, Latches: latches}, d)
		}
	}
	for _, b := range d.Order {
		for l := ls.of[b.ID]; l != nil; l = l.Parent {
			l.Blocks = append(l.Blocks, b)
		}
	}
	for i := len(ls.All) - 1; i >= 0; i-- {
		l := ls.All[i]
		l.Depth = 1
		if l.Parent != nil {
			l.Depth = l.Parent.Depth + 1
			l.Parent.Children = append(l.Parent.Children, l)
		}
	}
	return ls
}

// collect walks back from the latches, taking over blocks that belong to no loop yet and the
// outermost inner loops whole.
func (ls *Loops) collect(l *Loop, d *Dom) {
	ls.All = append(ls.All, l)
	ls.of[l.Header.ID] = l
	work := append([]*Block(nil), l.Latches...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		inner := ls.of[b.ID]
		if inner == nil {
			ls.of[b.ID] = l
			work = appendReachable(work, b.Preds, d)
			continue
		}
		for inner.Parent != nil {
			inner = inner.Parent
		}
		if inner != l {
			inner.Parent = l
			work = appendReachable(work, inner.Header.Preds, d)
		}
	}
}

func appendReachable(work, blocks []*Block, d *Dom) []*Block {
	for _, b := range blocks {
		if d.Reachable(b) {
			work = append(work, b)
		}
	}
	return work
}

// Of is the innermost loop that b is in, or nil.
func (ls *Loops) Of(b *Block) *Loop {
	if b.ID >= len(ls.of) {
		return nil
	}
	return ls.of[b.ID]
}

// Add says that the new block b is in l and the loops around it. l may be nil.
func (ls *Loops) Add(b *Block, l *Loop) {
	for len(ls.of) <= b.ID {
		ls.of = append(ls.of, nil)
	}
	ls.of[b.ID] = l
	for ; l != nil; l = l.Parent {
		l.Blocks = append(l.Blocks, b)
	}
}

// Contains reports whether b is in l or in a loop inside l.
func (ls *Loops) Contains(l *Loop, b *Block) bool {
	for m := ls.Of(b); m != nil; m = m.Parent {
		if m == l {
			return true
		}
	}
	return false
}

// Preheader is the one block outside the loop from which it is entered, if it has no other
// successor; else nil.
func (ls *Loops) Preheader(l *Loop) *Block {
	var pre *Block
	for _, p := range l.Header.Preds {
		if ls.Contains(l, p) {
			continue
		}
		if pre != nil || len(p.Succs) != 1 {
			return nil
		}
		pre = p
	}
	return pre
}
