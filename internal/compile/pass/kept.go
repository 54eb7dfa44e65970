package pass

import "github.com/gridstride/gridstride/internal/compile/ir"

// keptPointers says which pointers a load of a pointer from an Alloca may give: those that the
// function stores at its place. The headers of slices in a parameter lie in an Alloca where another
// of its fields is indexed by a variable.
type keptPointers struct {
	addr   map[*ir.Value]keptPlace
	stored map[keptPlace][]*ir.Value
	bad    map[*ir.Value]bool // Allocas that pointers may come to in another way
}

// keptPlace is an offset in an Alloca.
type keptPlace struct {
	alloca *ir.Value
	off    int64
}

// unknownOffset is the offset of an address that is indexed by a variable.
const unknownOffset = -1

func newKeptPointers(f *ir.Func) *keptPointers {
	k := &keptPointers{map[*ir.Value]keptPlace{}, map[keptPlace][]*ir.Value{}, map[*ir.Value]bool{}}
	for _, b := range f.Dominators().Order {
		for _, v := range b.Instrs {
			k.visit(v)
		}
	}
	return k
}

// visit notes what an instruction does to Allocas. No number is stored over a pointer, since Go's
// types do not let it.
func (k *keptPointers) visit(v *ir.Value) {
	switch v.Op {
	case ir.Alloca:
		k.addr[v] = keptPlace{v, 0}
	case ir.PtrAdd:
		if p, ok := k.addr[v.Args[0]]; ok {
			c, known := v.Args[1].IntConst()
			if p.off == unknownOffset || !known {
				p.off = unknownOffset
			} else {
				p.off += c
			}
			k.addr[v] = p
		}
	case ir.Load, ir.MemZero:
	case ir.Store:
		k.escape(v.Args[1:])
		if p, ok := k.addr[v.Args[0]]; ok && v.Args[1].Type == ir.Ptr {
			k.bad[p.alloca] = k.bad[p.alloca] || p.off == unknownOffset || v.Lanes > 1
			k.stored[p] = append(k.stored[p], v.Args[1])
		}
	case ir.MemCopy:
		k.escape(v.Args[:1])
	default:
		k.escape(v.Args)
	}
}

// escape gives up the Allocas that any of these is an address of.
func (k *keptPointers) escape(args []*ir.Value) {
	for _, a := range args {
		if p, ok := k.addr[a]; ok {
			k.bad[p.alloca] = true
		}
	}
}

// of gives the pointers of which a load gives one. ok is false where others are possible.
func (k *keptPointers) of(load *ir.Value) (pointers []*ir.Value, ok bool) {
	p, ok := k.addr[load.Args[0]]
	if !ok || load.Lanes > 1 || p.off == unknownOffset || k.bad[p.alloca] {
		return nil, false
	}
	pointers = k.stored[p]
	return pointers, len(pointers) > 0
}
