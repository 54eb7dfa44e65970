package mufu

import "math"

// Instruction returns PTX's approximation of float32 with a name such as "ex2.approx", or nil if
// there is none. An instruction with .ftz is the unit's own, except angles, which the unit takes
// in turns. To one without, NVIDIA's assembler adds the scaling that subnormal numbers need. The
// bounds and factors are CUDA 12.4's and 13.0's for sm_90.
func Instruction(name string, ftz bool) func(x float32) float32 {
	if f := flushing[name]; f != nil && ftz {
		return f
	}
	return instructions[name]
}

var (
	flushing = map[string]func(x float32) float32{
		"ex2": EX2, "lg2": LG2, "rcp": RCP, "rsqrt": RSQ, "sqrt": SQRT,
	}
	instructions = map[string]func(x float32) float32{
		"ex2": Exp2, "lg2": Log2, "sin": Sin, "cos": Cos, "tanh": TANH, "rcp": Rcp, "rsqrt": Rsqrt, "sqrt": Sqrt,
	}
)

const least = 0x1p-126 // the least normal number

// Exp2 is ex2.approx.f32.
func Exp2(x float32) float32 {
	if x < -126 {
		y := EX2(x / 2)
		return y * y
	}
	return EX2(x)
}

// Log2 is lg2.approx.f32.
func Log2(x float32) float32 {
	if abs(x) < least {
		return LG2(x*0x1p24) - 24
	}
	return LG2(x)
}

// Sin is sin.approx.f32, of x radians.
func Sin(x float32) float32 { return SIN(turns(x)) }

// Cos is cos.approx.f32, of x radians.
func Cos(x float32) float32 { return COS(turns(x)) }

// turns is x radians in turns, rounded toward zero.
func turns(x float32) float32 {
	exact := float64(x) * float64(float32(1/(2*math.Pi)))
	y := float32(exact)
	if math.Abs(float64(y)) > math.Abs(exact) {
		y = math.Float32frombits(math.Float32bits(y) - 1)
	}
	return y
}

// Rcp is rcp.approx.f32.
func Rcp(x float32) float32 {
	scale := float32(1)
	switch a := abs(x); {
	case a < least:
		scale = 0x1p24
	case a > 0x1p126:
		scale = 0x1p-2
	}
	return RCP(x*scale) * scale
}

// Div is div.approx.f32. NVIDIA's assembler makes a product of it, without a scaling for
// .ftz.
func Div(x, y float32, ftz bool) float32 {
	scale := float32(1)
	if !ftz && abs(y) < least {
		scale = 0x1p24
	}
	return RCP(y*scale) * (x * scale)
}

// DivFull is div.full.f32.
func DivFull(x, y float32, ftz bool) float32 {
	if abs(y) > 0x1p126 {
		return RCP(y*0x1p-2) * (x * 0x1p-2)
	}
	return Div(x, y, ftz)
}

// Rsqrt is rsqrt.approx.f32.
func Rsqrt(x float32) float32 {
	if abs(x) < least {
		return RSQ(x*0x1p24) * 0x1p12
	}
	return RSQ(x)
}

// Sqrt is sqrt.approx.f32.
func Sqrt(x float32) float32 {
	if abs(x) < least {
		return SQRT(x*0x1p24) * 0x1p-12
	}
	return SQRT(x)
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ signBit) }
