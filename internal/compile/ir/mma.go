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
	Factor  string // PTX's type of the elements of A and B
	Sum     string // and of C and D
}

// Products are the forms of MMA, in the order of their Subs.
var Products = []Product{
	{M16N8K8F32F16, 16, 8, 8, "f16", "f32"},
	{M16N8K16F32F16, 16, 8, 16, "f16", "f32"},
	{M16N8K16F16F16, 16, 8, 16, "f16", "f16"},
	{M16N8K8F32BF16, 16, 8, 8, "bf16", "f32"},
	{M16N8K16F32BF16, 16, 8, 16, "bf16", "f32"},
	{M16N8K4F32TF32, 16, 8, 4, "tf32", "f32"},
	{M16N8K8F32TF32, 16, 8, 8, "tf32", "f32"},
	{M8N8K4F64, 8, 8, 4, "f64", "f64"},
	{M16N8K4F64, 16, 8, 4, "f64", "f64"},
	{M16N8K8F64, 16, 8, 8, "f64", "f64"},
	{M16N8K16F64, 16, 8, 16, "f64", "f64"},
	{M16N8K32S32S8, 16, 8, 32, "s8", "s32"},
	{M16N8K32S32U8, 16, 8, 32, "u8", "s32"},
}

// ProductOf is the form of a refinement of MMA.
func ProductOf(s Sub) *Product { return &Products[s-M16N8K8F32F16] }

// String is the refinement's name: the shape, the sum's type, and the factors' where it is another.
func (p *Product) String() string {
	factor := p.Factor
	if factor == p.Sum && factor == "f64" {
		factor = ""
	}
	return strings.ToUpper(fmt.Sprintf("m%dn%dk%d%s%s", p.M, p.N, p.K, p.Sum, factor))
}

// Opcode is PTX's.
func (p *Product) Opcode() string {
	return fmt.Sprintf("mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%[5]s.%[4]s", p.M, p.N, p.K, p.Sum, p.Factor)
}

// Registers are how many a lane has of A, of B, and of C or D: each holds 32 bits of elements, or
// one of 64.
func (p *Product) Registers() (a, b, c int) {
	perFactor := map[string]int{"f16": 2, "bf16": 2, "s8": 4, "u8": 4}[p.Factor]
	perSum := map[string]int{"f16": 2}[p.Sum]
	return p.M * p.K / 32 / max(perFactor, 1), p.K * p.N / 32 / max(perFactor, 1), p.M * p.N / 32 / max(perSum, 1)
}

// Types are those of the registers of A and B, and of C and D.
func (p *Product) Types() (factor, sum Type) {
	types := map[string]Type{"f32": F32, "f64": F64}
	factor, sum = I32, I32
	if t, ok := types[p.Factor]; ok {
		factor = t
	}
	if t, ok := types[p.Sum]; ok {
		sum = t
	}
	return factor, sum
}
