package ir

import (
	"fmt"
	"strings"
)

// Product is a form of MMA: D, of M rows and N columns, is A, of M rows and K columns, times B, of
// K rows and N columns, plus C.
type Product struct {
	Sub     Sub
	M, N, K int
	A, B    string // PTX's types of the elements
	Sum     string // and of C's and D's
}

// Products are the forms of MMA, in the order of their Subs.
var Products = []Product{
	{M16N8K8F32F16, 16, 8, 8, "f16", "f16", "f32"},
	{M16N8K16F32F16, 16, 8, 16, "f16", "f16", "f32"},
	{M16N8K16F16F16, 16, 8, 16, "f16", "f16", "f16"},
	{M16N8K8F32BF16, 16, 8, 8, "bf16", "bf16", "f32"},
	{M16N8K16F32BF16, 16, 8, 16, "bf16", "bf16", "f32"},
	{M16N8K4F32TF32, 16, 8, 4, "tf32", "tf32", "f32"},
	{M16N8K8F32TF32, 16, 8, 8, "tf32", "tf32", "f32"},
	{M8N8K4F64, 8, 8, 4, "f64", "f64", "f64"},
	{M16N8K4F64, 16, 8, 4, "f64", "f64", "f64"},
	{M16N8K8F64, 16, 8, 8, "f64", "f64", "f64"},
	{M16N8K16F64, 16, 8, 16, "f64", "f64", "f64"},
	{M16N8K16S32S8, 16, 8, 16, "s8", "s8", "s32"},
	{M16N8K16S32U8, 16, 8, 16, "u8", "u8", "s32"},
	{M16N8K32S32S8, 16, 8, 32, "s8", "s8", "s32"},
	{M16N8K32S32U8, 16, 8, 32, "u8", "u8", "s32"},
	{M16N8K32F32E4M3, 16, 8, 32, "e4m3", "e4m3", "f32"},
	{M16N8K32F32E5M2, 16, 8, 32, "e5m2", "e5m2", "f32"},
	{M16N8K32F32E4M3E5M2, 16, 8, 32, "e4m3", "e5m2", "f32"},
	{M16N8K32F32E5M2E4M3, 16, 8, 32, "e5m2", "e4m3", "f32"},
}

// ProductOf is the form of a refinement of MMA.
func ProductOf(s Sub) *Product { return &Products[s-M16N8K8F32F16] }

// String is the refinement's name: the shape, the sum's type, A's type except f64, and B's type if
// it is another.
func (p *Product) String() string {
	name := fmt.Sprintf("m%dn%dk%d%s", p.M, p.N, p.K, p.Sum)
	if p.A != "f64" {
		name += p.A
	}
	if p.B != p.A {
		name += p.B
	}
	return strings.ToUpper(name)
}

// Opcode is PTX's.
func (p *Product) Opcode() string {
	return fmt.Sprintf("mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%[4]s", p.M, p.N, p.K, p.Sum, p.A, p.B)
}

// Registers are how many a lane has of A, of B, and of C or D: each holds 32 bits of elements, or
// one of 64.
func (p *Product) Registers() (a, b, c int) {
	return p.M * p.K / 32 / perRegister[p.A], p.K * p.N / 32 / perRegister[p.B], p.M * p.N / 32 / perRegister[p.Sum]
}

// PacksFloats reports whether a register of A or B holds several floating-point numbers.
func (p *Product) PacksFloats() bool { return perRegister[p.A] > 1 && p.Sum != "s32" }

// perRegister is how many elements of a type a register holds.
var perRegister = map[string]int{
	"f64": 1, "f32": 1, "s32": 1, "tf32": 1, "f16": 2, "bf16": 2, "s8": 4, "u8": 4, "e4m3": 4, "e5m2": 4,
}

// Types are the types of A's and B's registers, and of C's and D's.
func (p *Product) Types() (factor, sum Type) {
	types := map[string]Type{"f32": F32, "f64": F64}
	factor, sum = I32, I32
	if t, ok := types[p.A]; ok {
		factor = t
	}
	if t, ok := types[p.Sum]; ok {
		sum = t
	}
	return factor, sum
}
