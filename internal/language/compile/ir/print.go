package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// String is the function as text. Parse reads it back.
//
//	func Add "add.Add" block=256,1,1
//	file "add.go"
//	param a ptr global align=4 go=0 role="ptr"
//	param a_len b64 go=0 role="len"
//	var cache shared size=1024 align=4 elem=f32
//	b0:
//		v0 = Ptr.global ParamVal a align=4
//		v1 = I32 SReg.TidX
//		v2 = I64 Sext32 v1
//		v3 = Bool Cmp.Lt v2, v9
//		Branch v3 b1 b2
//	b1: b0
//		v4 = F32 Load.f32.global v0 @0:7:3
//		…
//
// A block's label is followed by its predecessors in the order of phi arguments.
func (f *Func) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "func %s %q", f.Name, f.GoName)
	if f.BlockDim != [3]int{} {
		fmt.Fprintf(&w, " block=%d,%d,%d", f.BlockDim[0], f.BlockDim[1], f.BlockDim[2])
	}
	if f.MinBlocks > 0 {
		fmt.Fprintf(&w, " minblocks=%d", f.MinBlocks)
	}
	if f.Cluster != [3]int{} {
		fmt.Fprintf(&w, " cluster=%d,%d,%d", f.Cluster[0], f.Cluster[1], f.Cluster[2])
	}
	if f.NoBounds {
		w.WriteString(" nobounds")
	}
	w.WriteString(posText(f.Pos) + "\n")
	for _, name := range f.Files {
		fmt.Fprintf(&w, "file %q\n", name)
	}
	for _, p := range f.Params {
		w.WriteString(paramText(p) + "\n")
	}
	for _, v := range f.Vars {
		w.WriteString(varText(v) + "\n")
	}
	for _, b := range f.Blocks {
		fmt.Fprintf(&w, "b%d:", b.ID)
		for _, p := range b.Preds {
			fmt.Fprintf(&w, " b%d", p.ID)
		}
		w.WriteByte('\n')
		for _, v := range b.Instrs {
			w.WriteString("\t" + f.instrText(v, b) + "\n")
		}
	}
	return w.String()
}

func paramText(p *Param) string {
	s := fmt.Sprintf("param %s %s", p.Name, p.Mem)
	if p.Space != Unknown {
		s += " " + p.Space.String()
	}
	if p.Align != 0 {
		s += fmt.Sprintf(" align=%d", p.Align)
	}
	if p.Value != nil {
		s += fmt.Sprintf(" value=\"%s %d %d\" offset=%d", p.Value.Name, p.Value.Size, p.Value.Align, p.Offset)
		if p.Value.Address {
			s += " address"
		}
	}
	if p.Role != "" {
		s += fmt.Sprintf(" role=%q", p.Role)
	}
	return s + typeText(p.Type)
}

func varText(v *Var) string {
	s := fmt.Sprintf("var %s %s size=%d align=%d elem=%s", v.Name, v.Space, v.Size, v.Align, v.Elem)
	if v.Dynamic {
		s += " dynamic"
	}
	if v.Init != nil {
		s += fmt.Sprintf(" init=%q", v.Init)
	}
	for _, r := range v.Refs {
		s += fmt.Sprintf(" ref=\"%d %s\"", r.Off, r.Var.Name)
	}
	return s + typeText(v.Type) + posText(v.Pos)
}

func typeText(s *abi.Shape) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf(" type=%q", s)
}

func posText(p Pos) string {
	if p == (Pos{}) {
		return ""
	}
	s := fmt.Sprintf(" @%d:%d:%d", p.File, p.Line, p.Col)
	if p.Call != (Call{}) {
		s += fmt.Sprintf("<%d:%d:%d", p.Call.File, p.Call.Line, p.Call.Col)
	}
	return s
}

// instrText is one instruction. b is its block, which names the targets of a terminator.
func (f *Func) instrText(v *Value, b *Block) string {
	var w strings.Builder
	if v.Type != Void {
		fmt.Fprintf(&w, "v%d = %s", v.ID, v.Type)
		if v.Type == Ptr && v.Space != Unknown && !v.Accesses() {
			w.WriteString("." + v.Space.String())
		}
		w.WriteByte(' ')
	}
	w.WriteString(v.Op.String())
	if v.Sub != SubNone {
		w.WriteString("." + v.Sub.String())
	}
	if v.Order != Relaxed {
		w.WriteString("." + v.Order.String())
	}
	if v.Scope != ScopeNone {
		w.WriteString("." + v.Scope.String())
	}
	if v.Mem != MemNone {
		w.WriteString("." + v.Mem.String())
	}
	if v.Lanes != 0 {
		fmt.Fprintf(&w, ".x%d", v.Lanes)
	}
	if v.Uniform {
		w.WriteString(".uniform")
	}
	if v.Unsigned {
		w.WriteString(".unsigned")
	}
	if v.Fast {
		w.WriteString(".fast")
	}
	if v.Accesses() && v.Space != Unknown {
		w.WriteString("." + v.Space.String())
	}
	sep := " "
	for _, a := range v.Args {
		w.WriteString(sep + valueText(a))
		sep = ", "
	}
	w.WriteString(f.operandText(v, sep))
	if v.Op.Terminator() && b != nil {
		for _, s := range b.Succs {
			fmt.Fprintf(&w, " b%d", s.ID)
		}
	}
	if v.Size != 0 {
		fmt.Fprintf(&w, " size=%d", v.Size)
	}
	if v.Align != 0 {
		fmt.Fprintf(&w, " align=%d", v.Align)
	}
	if v.Name != "" {
		fmt.Fprintf(&w, " name=%q", v.Name)
	}
	w.WriteString(posText(v.Pos))
	return w.String()
}

// operandText is the operand of an operation that has one in addition to its arguments.
func (f *Func) operandText(v *Value, sep string) string {
	switch v.Op {
	case Const:
		return sep + constText(v.Type, v.Int)
	case ParamVal:
		if int(v.Int) < len(f.Params) {
			return sep + f.Params[v.Int].Name
		}
		return sep + "?"
	case VarAddr:
		if v.Var == nil {
			return sep + "?"
		}
		return sep + v.Var.Name
	case Extract:
		return sep + strconv.FormatUint(v.Int, 10)
	}
	return ""
}

func valueText(v *Value) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("v%d", v.ID)
}

// String is the instruction as in the text of a function, without the targets of a terminator that
// is in no block.
func (v *Value) String() string { return (&Func{}).instrText(v, v.Block) }

// constText writes a constant so that parseConst gives the same bits.
func constText(t Type, bits uint64) string {
	switch t {
	case Bool:
		return strconv.FormatBool(bits != 0)
	case I32:
		return strconv.FormatInt(int64(int32(bits)), 10)
	case F32:
		x := float64(math.Float32frombits(uint32(bits)))
		if math.IsNaN(x) {
			return fmt.Sprintf("nan:%#x", bits)
		}
		return strconv.FormatFloat(x, 'g', -1, 32)
	case F64:
		x := math.Float64frombits(bits)
		if math.IsNaN(x) {
			return fmt.Sprintf("nan:%#x", bits)
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatInt(int64(bits), 10)
}

// parseConst reads the text of a constant.
func parseConst(t Type, s string) (uint64, error) {
	if rest, ok := strings.CutPrefix(s, "nan:"); ok {
		return strconv.ParseUint(rest, 0, 64)
	}
	switch t {
	case Bool:
		b, err := strconv.ParseBool(s)
		if b {
			return 1, err
		}
		return 0, err
	case F32:
		x, err := strconv.ParseFloat(s, 32)
		return uint64(math.Float32bits(float32(x))), err
	case F64:
		x, err := strconv.ParseFloat(s, 64)
		return math.Float64bits(x), err
	}
	x, err := strconv.ParseInt(s, 0, 64)
	return normalBits(t, uint64(x)), err
}
