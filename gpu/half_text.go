package gpu

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/math/half"
)

// The text of a number of 16 bits is for the host only.

// ParseFloat16 is the Float16 nearest to a number that is written as for [strconv.ParseFloat]. The
// error is a [*strconv.NumError].
func ParseFloat16(s string) (Float16, error) {
	bits, err := half.F16Parse(s)
	return Float16{bits}, err
}

// ParseBFloat16 is the BFloat16 nearest to a number that is written as for [strconv.ParseFloat].
// The error is a [*strconv.NumError].
func ParseBFloat16(s string) (BFloat16, error) {
	bits, err := half.BF16Parse(s)
	return BFloat16{bits}, err
}

// String is x with as few digits as tell it from every other Float16: 0.1 for Float16Of(0.1).
func (x Float16) String() string { return half.F16Text(x.bits).String() }

// String is x with as few digits as tell it from every other BFloat16: 0.1 for BFloat16Of(0.1).
func (x BFloat16) String() string { return half.BF16Text(x.bits).String() }

// Format prints x with the verbs of floating-point numbers. %v is [Float16.String].
func (x Float16) Format(s fmt.State, verb rune) { half.F16Text(x.bits).Format(s, verb) }

// Format prints x with the verbs of floating-point numbers. %v is [BFloat16.String].
func (x BFloat16) Format(s fmt.State, verb rune) { half.BF16Text(x.bits).Format(s, verb) }

// MarshalText is x as [Float16.String] has it.
func (x Float16) MarshalText() ([]byte, error) { return []byte(x.String()), nil }

// MarshalText is x as [BFloat16.String] has it.
func (x BFloat16) MarshalText() ([]byte, error) { return []byte(x.String()), nil }

// UnmarshalText is [ParseFloat16].
func (x *Float16) UnmarshalText(text []byte) (err error) {
	*x, err = ParseFloat16(string(text))
	return err
}

// UnmarshalText is [ParseBFloat16].
func (x *BFloat16) UnmarshalText(text []byte) (err error) {
	*x, err = ParseBFloat16(string(text))
	return err
}
