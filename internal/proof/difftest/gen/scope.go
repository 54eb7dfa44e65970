package gen

import (
	"fmt"
	"slices"
	"strings"
)

// variable is a name in scope.
type variable struct {
	name string
	t    *typ
	// frozen: the body may only read it: loop counters, tables, what a pure closure captures.
	frozen bool
	// bound > 0 promises 0 <= value < bound, so that it indexes an array of that length.
	bound int
	// A slice has at least minLen elements. With base set, the thread owns the elements base …
	// base+minLen-1 and touches no others.
	minLen int
	base   string
	// wide: the capacity of the slice reaches into what other threads own, so it is never sliced
	// beyond its length.
	wide  bool
	line  int // the line of its declaration
	param bool
	// variadic is a last parameter that is a slice, written with three dots.
	variadic bool
	// hidden variables are not read or written but by the statements that know them.
	hidden bool
}

func (v *variable) mayBeEmpty() bool { return v.t.kind == kSlice && v.minLen == 0 || v.t.holds }

func (g *gen) declare(name string, t *typ) *variable {
	v := &variable{name: name, t: t, line: len(g.lines) - 1}
	top := len(g.cur.scopes) - 1
	g.cur.scopes[top] = append(g.cur.scopes[top], v)
	return v
}

func (g *gen) push() { g.cur.scopes = append(g.cur.scopes, nil) }

// pop leaves a scope.
func (g *gen) pop() {
	g.useAll()
	g.cur.scopes = g.cur.scopes[:len(g.cur.scopes)-1]
}

// useAll uses the variables of the innermost scope that are not used yet, which Go refuses.
func (g *gen) useAll() {
	for _, v := range g.cur.scopes[len(g.cur.scopes)-1] {
		if !v.param && !g.used(v) {
			g.emit("_ = %s", v.name)
		}
	}
}

// used reports whether a variable is read in the lines from its declaration on. An assignment to it
// is no use.
func (g *gen) used(v *variable) bool {
	for i, line := range g.lines[max(0, v.line):] {
		if i == 0 {
			_, line, _ = strings.Cut(line, "=") // the declaration, or the header of a for
		} else if left, right, ok := strings.Cut(strings.TrimSpace(line), " = "); ok && slices.Contains(strings.Split(left, ", "), v.name) {
			line = right
		}
		if mentions(line, v.name) {
			return true
		}
	}
	return false
}

// mentions reports whether the identifier name, which ends in a digit, occurs in line.
func mentions(line, name string) bool {
	for {
		i := strings.Index(line, name)
		if i < 0 {
			return false
		}
		rest := line[i+len(name):]
		if (i == 0 || !isWord(line[i-1])) && (rest == "" || !isWord(rest[0])) {
			return true
		}
		line = rest
	}
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// visible lists the variables in scope that satisfy ok, innermost last.
func (g *gen) visible(ok func(*variable) bool) []*variable {
	var list []*variable
	for _, v := range g.globals {
		if (g.cur.kernel || v.t.kind != kSlice) && ok(v) {
			list = append(list, v)
		}
	}
	for _, scope := range g.cur.scopes {
		for _, v := range scope {
			if !v.hidden && ok(v) {
				list = append(list, v)
			}
		}
	}
	return list
}

// read is an operand of type t read out of a variable in scope. ok is false if there is none.
func (g *gen) read(t *typ) (s string, ok bool) {
	list := g.visible(func(v *variable) bool {
		return v.t.reaches(t) && !(g.noFail && v.mayBeEmpty()) && !(t.kind == kPointer && v.frozen) &&
			(g.walks < maxWalks || !t.scalar() || v.t.is(t))
	})
	if len(list) == 0 {
		return "", false
	}
	v := g.recent(list)
	return g.walk(v, t), true
}

// places are the variables that have an assignable part of type t (an addressable one if addr is
// set).
func (g *gen) places(t *typ, addr bool) []*variable {
	list := g.visible(func(v *variable) bool {
		whole := v.t.is(t)
		return v.t.reaches(t) && !v.frozen && !(g.noFail && v.mayBeEmpty()) && !(whole && v.t.kind == kSlice) && !(whole && v.t.kind == kPointer && addr)
	})
	if g.cur.pure {
		list = g.mine(list)
	}
	return list
}

// place is an assignable operand of type t, an addressable one if addr is set.
func (g *gen) place(t *typ, addr bool) (s string, ok bool) {
	list := g.places(t, addr)
	if len(list) == 0 {
		return "", false
	}
	v := g.recent(list)
	if v.t.kind == kPointer || v.t.kind == kSlice || addr {
	}
	return g.walk(v, t), true
}

// mine keeps the variables that the innermost function declares itself.
func (g *gen) mine(list []*variable) []*variable {
	var own []*variable
	for _, scope := range g.cur.scopes[g.cur.frozen:] {
		for _, v := range scope {
			for _, w := range list {
				if v == w {
					own = append(own, v)
				}
			}
		}
	}
	return own
}

// recent prefers what was declared last, so that values flow on.
func (g *gen) recent(list []*variable) *variable {
	if n := len(list); n > 4 && g.chance(50) {
		return list[n-4+g.r.IntN(4)]
	}
	return pick(g, list...)
}

// walk descends from v to a part of type t.
func (g *gen) walk(v *variable, t *typ) string {
	g.walks++
	defer func() { g.walks-- }()
	s, cur := v.name, v.t
	for !cur.is(t) || cur.elem != nil && cur.elem.reaches(t) && g.chance(30) {
		switch cur.kind {
		case kArray:
			s = fmt.Sprintf("%s[%s]", s, g.index(cur.n))
			cur = cur.elem
		case kSlice:
			s = g.element(v, s)
			cur = cur.elem
		case kPointer:
			if cur.elem.kind == kPointer || cur.elem.kind == kSlice || cur.elem.is(t) || g.chance(20) || cur.elem.kind == kArray && g.chance(50) {
				s = fmt.Sprintf("(*%s)", s)
			} else if cur.elem.kind == kArray {
				s = fmt.Sprintf("%s[%s]", s, g.index(cur.elem.n))
				cur = cur.elem.elem
				continue
			}
			cur = cur.elem
		case kStruct:
			f := g.fieldTo(cur, t)
			if !f.embedded || f.t.is(t) || f.t.kind != kStruct || g.chance(40) {
				s = s + "." + f.name
			}
			cur = f.t
		default:
			panic("BUG: walk from " + v.t.name + " to " + t.name)
		}
	}
	return s
}

func (g *gen) fieldTo(t, want *typ) field {
	var list []field
	for _, f := range t.fields {
		if f.t.reaches(want) {
			list = append(list, f)
		}
	}
	return pick(g, list...)
}

// element is an element of the slice variable v, printed s.
func (g *gen) element(v *variable, s string) string {
	i := ""
	switch {
	case v.t.kind != kSlice:
		i = g.modLen(s)
	case v.base != "":
		i = fmt.Sprintf("%s+int(%s)", v.base, g.safeIndex(v.minLen)) // never an element of another thread
	case g.mayFail(3):
		i = g.wildIndex()
	case v.minLen == 0:
		i = g.modLen(s)
	case g.chance(25):
		i = fmt.Sprintf("%s(%s) %% %[1]s(len(%[3]s))", pick(g, "uint", "uint64"), g.shallow(g.plainInteger()), s)
	default:
		i = g.index(v.minLen)
	}
	return fmt.Sprintf("%s[%s]", s, i)
}

// index is an index below n, rarely outside if the statement may still fail.
func (g *gen) index(n int) string {
	if g.mayFail(1) {
		return g.wildIndex()
	}
	return g.safeIndex(n)
}

func (g *gen) safeIndex(n int) string {
	if bounded := g.visible(func(v *variable) bool { return v.bound > 0 && v.bound <= n }); len(bounded) > 0 && g.chance(60) {
		v := g.recent(bounded)
		return v.name
	}
	if g.chance(45) {
		return fmt.Sprint(g.r.IntN(n))
	}
	return g.maskedIndex(n)
}

// maskedIndex is any integer forced below n: n is a power of two and the operation &, or the type
// is unsigned and it is %.
func (g *gen) maskedIndex(n int) string {
	for {
		t := g.integer()
		if t.param || t.kind == kInt && n&(n-1) != 0 {
			continue
		}
		e := g.shallow(t)
		if n&(n-1) == 0 {
			return fmt.Sprintf("(%s & %d)", e, n-1)
		}
		return fmt.Sprintf("(%s %% %d)", e, n)
	}
}

// wildIndex may be out of range: a small expression of any integer type.
func (g *gen) wildIndex() string {
	t := g.integer()
	if t.param {
		t = tInt
	}
	if t.kind == kInt && g.chance(30) {
		return g.shallow(t)
	}
	return fmt.Sprintf("(%s & %d)", g.shallow(t), pick(g, 1, 3, 7, 15, 31, 63))
}

// modLen is an index of a slice that may be empty: then it divides by zero, or is index 0 of none.
func (g *gen) modLen(slice string) string {
	g.fails++
	if g.chance(50) {
		return fmt.Sprintf("uint64(%s) %% uint64(len(%s))", g.shallow(g.plainInteger()), slice)
	}
	return fmt.Sprintf("uint(%s) %% uint(max(1, len(%s)))", g.shallow(g.plainInteger()), slice)
}

// mayFail decides with the probability in percent whether to write an operation here that can fail,
// and counts it. One statement rarely gets a second one: Go leaves open which of two fails first.
func (g *gen) mayFail(percent int) bool {
	if g.noFail || g.fails > 0 && !g.chance(10) || !g.chance(percent) {
		return false
	}
	g.fails++
	return true
}
