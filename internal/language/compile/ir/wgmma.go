package ir

import (
	"fmt"
	"strings"
)

// WGProduct is a form of WGMMA: D, of 64 rows and N columns, is A, of 64 rows and 32 bytes, times
// B, and D if that is wanted.
type WGProduct struct {
	N         int
	A, B, Sum string // PTX's types of the elements
	Registers bool   // A is in registers, and not in shared memory
}

// FirstWGMMA is the refinement of the first of WGProducts. The others follow it.
const FirstWGMMA Sub = 1024

// WGProducts are the forms of WGMMA.
var WGProducts = func() (list []WGProduct) {
	for _, t := range []struct{ a, b, sum string }{
		{"f16", "f16", "f32"}, {"f16", "f16", "f16"}, {"bf16", "bf16", "f32"}, {"tf32", "tf32", "f32"},
		{"e4m3", "e4m3", "f32"}, {"e4m3", "e5m2", "f32"}, {"e5m2", "e4m3", "f32"}, {"e5m2", "e5m2", "f32"},
		{"s8", "s8", "s32"}, {"s8", "u8", "s32"}, {"u8", "s8", "s32"}, {"u8", "u8", "s32"},
	} {
		for n := 8; n <= 256; n += 8 {
			if t.sum == "s32" && n > 32 && n%16 != 0 {
				continue
			}
			list = append(list, WGProduct{n, t.a, t.b, t.sum, false}, WGProduct{n, t.a, t.b, t.sum, true})
		}
	}
	return list
}()

// WGProductOf is the form of a refinement of WGMMA.
func WGProductOf(s Sub) *WGProduct { return &WGProducts[s-FirstWGMMA] }

// K is how many columns A has.
func (p *WGProduct) K() int { return 8 * perRegister[p.A] }

// String is the refinement's name.
func (p *WGProduct) String() string {
	from := ""
	if p.Registers {
		from = "REGS"
	}
	return strings.ToUpper(fmt.Sprintf("n%dk%d%s%s%s", p.N, p.K(), p.Sum, p.A, p.B)) + from
}

// Opcode is PTX's.
func (p *WGProduct) Opcode() string {
	return fmt.Sprintf("wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s", p.N, p.K(), p.Sum, p.A, p.B)
}

// Transposes reports whether factors in shared memory can be transposed, and Negates whether they
// can be negated.
func (p *WGProduct) Transposes() bool { return perRegister[p.A] == 2 }
func (p *WGProduct) Negates() bool    { return p.Sum != "s32" }

// SumRegisters are how many a thread has of D, and their type.
func (p *WGProduct) SumRegisters() (n int, t Type) {
	t = I32
	if p.Sum == "f32" {
		t = F32
	}
	return p.N / 2 / perRegister[p.Sum], t
}

// The arguments of WGMMA. A's and B's follow, and then D's.
const (
	WGAdd = iota
	WGNegateA
	WGNegateB
	WGTransposeA
	WGTransposeB
	WGFactors
)

// SumAt is the first argument that is of D.
func (p *WGProduct) SumAt() int {
	if p.Registers {
		return WGFactors + 5
	}
	return WGFactors + 2
}

// WGMMA starts a product. The results are the registers of D.
func (b *Builder) WGMMA(p Sub, args ...*Value) []*Value {
	n, t := WGProductOf(p).SumRegisters()
	v := b.EmitSub(WGMMA, p, t, args...)
	v.Lanes = n
	return b.extract(v)
}

// Hold keeps values of one type.
func (b *Builder) Hold(args ...*Value) []*Value {
	v := b.Emit(Hold, args[0].Type, args...)
	v.Lanes = len(args)
	return b.extract(v)
}
