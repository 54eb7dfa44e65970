package fast32

// Sin is about the sine of x radians, with an absolute error of 2^-20.4 at most for x from -2π to
// 2π, and 2^-14.7 from -100π to 100π. Beyond that there is no bound.
func Sin(x float32) float32 { return sin(x) }

// Cos is about the cosine of x radians, with the errors of Sin.
func Cos(x float32) float32 { return cos(x) }

// Sincos is Sin and Cos of x.
func Sincos(x float32) (s, c float32) { return sin(x), cos(x) }

// Tan is about the tangent of x radians: Sin by Cos, with their errors.
func Tan(x float32) float32 { return float32(sin(x) * rcp(cos(x))) }
