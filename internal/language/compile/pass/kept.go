package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// keptPointers says which pointers a load of a pointer from an Alloca may give: the pointers that
// the function stores there. An Alloca holds the headers of slices in a parameter if a variable
// indexes another of its fields, or if a pointer may point at one.
type keptPointers struct {
	stored map[keptPlace][]*ir.Value
	bad    map[*ir.Value]bool // Allocas that pointers may come to in another way
}

// keptPlace is an offset in an Alloca.
type keptPlace struct {
	alloca *ir.Value
	off    int64
}

func newKeptPointers(f *ir.Func) *keptPointers {
	k := &keptPointers{map[keptPlace][]*ir.Value{}, map[*ir.Value]bool{}}
	var uses [][]*ir.Value
	for _, v := range f.Entry().Instrs {
		if v.Op != ir.Alloca {
			continue
		}
		if uses == nil {
			uses = f.Uses()
		}
		k.bad[v] = !k.follow(v, uses)
	}
	return k
}

// follow notes which pointers come to an Alloca. It follows its address through all that may be an
// address in it, and reports whether it saw all there is to see. No number is stored over a
// pointer, since Go's types do not let it.
func (k *keptPointers) follow(alloca *ir.Value, uses [][]*ir.Value) bool {
	addrs, seen := []*ir.Value{alloca}, map[*ir.Value]bool{alloca: true}
	for len(addrs) > 0 {
		addr := addrs[len(addrs)-1]
		addrs = addrs[:len(addrs)-1]
		for _, user := range uses[addr.ID] {
			switch user.Op {
			case ir.PtrAdd, ir.Phi, ir.Select:
				if !seen[user] {
					seen[user] = true
					addrs = append(addrs, user)
				}
			case ir.Load, ir.MemZero, ir.Check, ir.Cmp:
			case ir.Store:
				if !k.store(user, addr, alloca) {
					return false
				}
			case ir.MemCopy:
				if user.Args[0] == addr {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

// store notes what is stored at an address in the Alloca. It is false where the address is stored
// itself, or a pointer comes to a place that is not known.
func (k *keptPointers) store(store, addr, alloca *ir.Value) bool {
	if slices.Contains(store.Args[1:], addr) {
		return false
	}
	if store.Args[1].Type != ir.Ptr {
		return true
	}
	base, off := constOffset(addr)
	if base != alloca || store.Lanes > 1 {
		return false
	}
	p := keptPlace{alloca, off}
	k.stored[p] = append(k.stored[p], store.Args[1])
	return true
}

// of returns the pointers that a load may give. ok is false if others are possible.
func (k *keptPointers) of(load *ir.Value) (pointers []*ir.Value, ok bool) {
	base, off := constOffset(load.Args[0])
	if base.Op != ir.Alloca || load.Lanes > 1 || k.bad[base] {
		return nil, false
	}
	pointers = k.stored[keptPlace{base, off}]
	return pointers, len(pointers) > 0
}
