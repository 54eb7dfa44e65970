package ptx

import (
	"strings"
	"testing"
)

// TestOpcodes holds opcodes to the instruction table.
func TestOpcodes(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Opcode{
		"add.rn.f32":          OpAdd.Of(ModRN, F32),
		"ld.f32":              OpLd.Of(GenericSpace, F32),
		"ld.shared.v4.u32":    OpLd.Of(SharedSpace, ModV4, U32),
		"mad.wide.s32":        OpMul.Of(ModWide, S32).As(OpMad),
		"ret":                 OpRet.Of(),
		"bar.warp.sync":       OpcodeOf("bar.warp.sync"),
		"atom.global.cas.b32": OpAtom.Of(Mod(""), GlobalSpace, ModCAS, B32),
	} {
		if in := o.Instr(Name("%r1")); o.String() != want || in.Opcode() != want || len(in.Args) != 1 {
			t.Errorf("opcode %s, instruction %s; want %s", o, in.Opcode(), want)
		}
	}
	for name, wrong := range map[string]func(){
		"add.f32.rn": func() { OpAdd.Of(F32, ModRN) },
		"mad.rn.f16": func() { OpFma.Of(ModRN, F16).As(OpMad) },
		"rcp.f32":    func() { OpRcp.Of(F32) },
		"nothing":    func() { OpcodeOf("nothing") },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, "BUG: ") || !strings.HasSuffix(got, " "+name) {
					t.Errorf("%s: panics with %q", name, got)
				}
			}()
			wrong()
		}()
	}
}
