package code

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String is the kernel as text, functions one after the other: what each function's file holds when
// a call begins, then its blocks. Instructions are written as
//
//	@guard op.modifiers results <- inputs [base+offset] #imm :width
//
// with slots named by width and offset (Slot.String). The same module gives the same text.
func (k *Kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s: %d bytes of parameters, %d memos\n", k.Decl.Name, k.ParamSize, k.Memos)
	for _, v := range k.Shared {
		size := fmt.Sprint(v.Size, " bytes")
		if v.Dynamic {
			size = "dynamic"
		}
		fmt.Fprintf(&b, "shared %s at %d: %s\n", v.Name, v.Offset, size)
	}
	for _, f := range k.Funcs {
		b.WriteByte('\n')
		f.print(&b)
	}
	return b.String()
}

func (f *Func) print(b *strings.Builder) {
	fmt.Fprintf(b, "func %s%s%s: %d bytes of registers, %d of local memory\n", f.Name,
		params(" ", f.Params), params(" results ", f.Results), f.File.Size, f.Local)
	for _, c := range f.File.Constants() {
		fmt.Fprintf(b, "  %s = %#x\n", c.Slot, c.Value)
	}
	for _, s := range f.Fills {
		name := s.Name
		if name == "" {
			name = fmt.Sprintf("frame+%d", s.Local)
		}
		fmt.Fprintf(b, "  %s = %s\n", s.Slot, name)
	}
	for _, reg := range slices.Sorted(maps.Keys(f.Slots)) {
		if s := f.Slots[reg]; s.Bits == 1 {
			fmt.Fprintf(b, "  %s is predicate register %d\n", s, reg)
		}
	}
	for _, blk := range f.Blocks {
		blk.print(b)
	}
}

func (blk *Block) print(b *strings.Builder) {
	fmt.Fprintf(b, "b%d: order %d, %d counted\n", blk.Index, blk.Order[0], blk.N)
	for i := range blk.Insts {
		fmt.Fprintf(b, "  %s\n", &blk.Insts[i])
	}
	switch blk.End {
	case EndFall:
		fmt.Fprintf(b, "  into b%d\n", blk.Next.Index)
	case EndJump:
		fmt.Fprintf(b, "  jump b%d\n", blk.Target.Index)
	case EndBranch:
		around := ""
		if blk.Around {
			around = " around"
		}
		fmt.Fprintf(b, "  %sbranch%s b%d, else b%d\n", &blk.Guard, around, blk.Target.Index, blk.Next.Index)
	case EndOp:
		fmt.Fprintf(b, "  %s%s\n", blk.Op, blk.ways())
	}
}

// ways lists the blocks in which lanes go on after an operation.
func (blk *Block) ways() string {
	text := ""
	for _, to := range blk.Successors() {
		text += fmt.Sprintf(", b%d", to.Index)
	}
	if text == "" {
		return ""
	}
	return "; then " + text[len(", "):]
}

// String is "@!p" and a blank, "" for no guard.
func (g *Guard) String() string {
	switch {
	case g == nil:
		return ""
	case g.Not:
		return fmt.Sprintf("@!%s ", g.Pred)
	}
	return fmt.Sprintf("@%s ", g.Pred)
}

// String is the instruction as Kernel's String writes it.
func (in *Inst) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s%s", in.Guard, in.Op, in.Text)
	b.WriteString(slots(" ", in.Dst))
	if len(in.Dst) > 0 {
		b.WriteString(" <-")
	}
	b.WriteString(slots(" ", in.Args))
	for _, m := range in.Mem {
		b.WriteString(" " + m.String())
	}
	if in.Mask.Bits != 0 {
		fmt.Fprintf(&b, " mask %s", in.Mask)
	}
	if c := in.Call; c != nil {
		target := c.Target.String()
		switch {
		case c.Func != nil:
			target = c.Func.Name
		case c.External != "":
			target = c.External
		}
		fmt.Fprintf(&b, " %s%s%s", target, params(" ", c.Args), params(" results ", c.Results))
	}
	if in.Imm != 0 {
		fmt.Fprintf(&b, " #%#x", in.Imm)
	}
	if in.Width != 0 {
		fmt.Fprintf(&b, " :%d", in.Width)
	}
	return b.String()
}

// String is "[d256+16]" for shared memory, which has one segment, else "[d256+16 memo 3]".
func (a Address) String() string {
	text := fmt.Sprintf("[%s%+d", a.Base, int64(a.Offset))
	if a.Offset == 0 {
		text = "[" + a.Base.String()
	}
	if a.Memo >= 0 {
		text += fmt.Sprintf(" memo %d", a.Memo)
	}
	return text + "]"
}

func slots(before string, list []Slot) string {
	var text []string
	for _, s := range list {
		text = append(text, s.String())
	}
	if len(text) == 0 {
		return ""
	}
	return before + strings.Join(text, ", ")
}

func params(before string, list []Param) string {
	var text []string
	for _, p := range list {
		if p.Reg.Bits != 0 {
			text = append(text, p.Reg.String())
		} else {
			text = append(text, fmt.Sprintf("frame+%d:%d", p.Off, p.Size))
		}
	}
	if len(text) == 0 {
		return ""
	}
	return before + "(" + strings.Join(text, ", ") + ")"
}
