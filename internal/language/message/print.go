// Package message has the text of what kernels say: of the lines that they print, and of the checks
// that fail. It is Go's own, as package fmt and the runtime would have it.
package message

import (
	"fmt"
	"math"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/math/half"
)

// Sprint formats the values of a call of gpu.Printf, which are as lines and fault records hold
// them.
func Sprint(f abi.Format, words []uint64) string {
	var values []any
	for i := range min(len(f.Kinds), len(words)) {
		values = append(values, printed(f.Kinds[i], words[i]))
	}
	return fmt.Sprintf(f.Text, values...)
}

// printed is the Go value of a kind.
func printed(kind byte, w uint64) any {
	switch kind {
	case abi.PrintBool:
		return w != 0
	case abi.PrintInt:
		return int(w)
	case abi.PrintInt8:
		return int8(w)
	case abi.PrintInt16:
		return int16(w)
	case abi.PrintInt32:
		return int32(w)
	case abi.PrintInt64:
		return int64(w)
	case abi.PrintUint:
		return uint(w)
	case abi.PrintUint8:
		return uint8(w)
	case abi.PrintUint16:
		return uint16(w)
	case abi.PrintUint32:
		return uint32(w)
	case abi.PrintFloat32:
		return math.Float32frombits(uint32(w))
	case abi.PrintFloat64:
		return math.Float64frombits(w)
	case abi.PrintFloat16:
		return half.F16Text(uint16(w))
	case abi.PrintBFloat16:
		return half.BF16Text(uint16(w))
	case abi.PrintE4M3:
		return half.E4M3Text(uint8(w))
	case abi.PrintE5M2:
		return half.E5M2Text(uint8(w))
	}
	return w
}
