package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// parseInstr parses one instruction.
func parseInstr(t *testing.T, text string) *Instr {
	t.Helper()
	m, err := Parse("i.ptx", ".version 8.0\n.target sm_90\n.func f() {\n"+text+";\n}")
	if err != nil {
		t.Fatal(err)
	}
	return m.Decls[0].(*Func).Body.Stmts[0].(*Instr)
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"add.rn.ftz.f32 %f1, %f2, %f3", "f32 rnd=rn ftz=ftz T=f32 : >f32, f32, f32"},
		{"mul.wide.s32 %rd1, %r1, 4", "s32 wide=wide T=s32 : >s64, s32, s32"},
		{"setp.lt.and.s32 p|q, %r1, %r2, !r", "s32 cmp=lt bool=and T=s32 : >pred|pred, s32, s32, pred"},
		{"setp.lt.s32 p, %r1, %r2", "s32 cmp=lt T=s32 : >pred|pred, s32, s32"},
		{"ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]",
			"f32 space=global nc=nc vec=v4 T=f32 lanes 4 space global : >f32x4, [global]"},
		{"ld.shared::cta.u8 %r1, [%r2]", "u8 space=shared::cta T=u8 space shared : >u8, [shared]"},
		{"ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2",
			"u32 space=global hint=L2::cache_hint T=u32 space global : >u32, [global], b64"},
		{"st.volatile.u32 [%rd1], %r1", "u32 volatile=volatile T=u32 : [], u32"},
		{"cvt.rzi.s32.f64 %r1, %fd1", "s32 from f64 rnd=rzi T=s32 U=f64 : >s32, f64"},
		{"cvt.f32.f32 %f1, %f1", "f32 T=f32 U=f32 : >f32, f32"},
		{"cp.async.cg.shared.global [%r1], [%rd1], 16",
			" async=async cg=cg space=shared global=global space shared : [shared], [global], imm"},
		{"cp.async.cg.shared.global [%r1], [%rd1], 16, %r2",
			" async=async cg=cg space=shared global=global space shared : [shared], [global], imm, u32"},
		{"cp.async.cg.shared.global [%r1], [%rd1], 16, !%p1",
			" async=async cg=cg space=shared global=global space shared : [shared], [global], imm, pred"},
		{"bar.red.popc.u32 %r1, 0, 64, p", "u32 red=red op=popc T=u32 : >u32, u32, u32, pred"},
		{"shfl.sync.down.b32 %r1, %r2, 1, 31, -1", "b32 sync=sync mode=down T=b32 : >b32|pred, b32, u32, u32, u32"},
		{"ret", " :"},
	} {
		d, err := Decode(parseInstr(t, c.text), nil)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := describeDecoded(d); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// describeDecoded describes the result of Decode in a line.
func describeDecoded(d *Decoded) string {
	var b strings.Builder
	b.WriteString(string(d.Type))
	if d.SrcType != d.Type {
		fmt.Fprintf(&b, " from %s", d.SrcType)
	}
	for _, m := range d.Modifiers {
		fmt.Fprintf(&b, " %s=%s", m.Group, m.Value)
	}
	if d.Lanes != 0 {
		fmt.Fprintf(&b, " lanes %d", d.Lanes)
	}
	if d.Space != GenericSpace {
		fmt.Fprintf(&b, " space %s", d.Space)
	}
	b.WriteString(" :")
	for i, o := range d.Operands {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		if o.Write {
			b.WriteByte('>')
		}
		switch o.Kind {
		case AddressOperand:
			fmt.Fprintf(&b, "[%s]", o.Space)
		case ImmOperand:
			b.WriteString("imm")
		default:
			b.WriteString(string(o.Type))
		}
		if o.Vector {
			fmt.Fprintf(&b, "x%d", d.Lanes)
		}
		if o.Second != "" {
			fmt.Fprintf(&b, "|%s", o.Second)
		}
	}
	return b.String()
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"frobnicate.u32 a, b", "unknown instruction frobnicate.u32"},
		{"seltp.lt.u32 p, a, b", "unknown instruction seltp.lt.u32; did you mean selp?"},
		{"lds.u32 a, [b]", "unknown instruction lds.u32; did you mean ld?"},
		{"add.u23 a, b, c", "unknown modifier .u23 of add.u23: after add comes .bf16,"},
		{"ld.globl.u32 a, [b]", "unknown modifier .globl of ld.globl.u32; did you mean .global?"},
		{"mul.s32 a, b, c", "mul.s32 is not possible: after mul comes .bf16,"},
		{"add.rn.s32 a, b, c",
			"add.rn.s32 is not possible: after add.rn comes .bf16, .bf16x2, .f16, .f16x2, .f32, .f64, .ftz or .sat, not .s32"},
		{"ld.global a, [b]", "ld.global is not complete: after ld.global comes"},
		{"ret.foo", "unknown modifier .foo of ret.foo: after ret comes .uni"},
		{"exit.now", "unknown modifier .now of exit.now: nothing comes after exit"},
		{"add.u32 a, b", "add.u32 has 3 operands, not 2"},
		{"setp.lt.and.s32 p, a, b", "setp.lt.and.s32 has 4 operands, not 3"},
		{"setp.lt.s32 p, a, b, q", "setp.lt.s32 has 3 operands, not 4"},
		{"bar.sync", "bar.sync has 1 or 2 operands, not 0"},
		{"exit 1", "exit has no operands, not 1"},
	} {
		_, err := Decode(parseInstr(t, c.text), nil)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s…", c.text, err, c.want)
		}
	}
}

// TestTableIsSound finds forms that an earlier one hides: no sequence of modifiers may match two
// forms that have the same number of operands and the same predicates and vectors among them.
func TestTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	n := 0
	for op, list := range forms() {
		clear(seen)
		for _, f := range list {
			for _, mods := range expand(f.groups) {
				n++
				key := fmt.Sprint(mods, len(f.operands))
				for _, o := range f.operands {
					key += fmt.Sprint(o.Type == Pred, o.Count > 0)
				}
				if seen[key] {
					t.Errorf("%s.%s matches two forms", op, strings.Join(mods, "."))
				}
				seen[key] = true
			}
		}
	}
	t.Logf("%d opcodes with all their modifiers", n)
}

// expand lists every sequence of modifiers that groups match.
func expand(groups []group) [][]string {
	if len(groups) == 0 {
		return [][]string{nil}
	}
	var all [][]string
	rest := expand(groups[1:])
	if groups[0].optional {
		all = append(all, rest...)
	}
	for _, v := range groups[0].values {
		for _, r := range rest {
			all = append(all, append([]string{v}, r...))
		}
	}
	return all
}
