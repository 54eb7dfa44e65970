package math64

import (
	"fmt"
	"math"
	"strconv"
	"testing"
)

func TestPow10(t *testing.T) {
	t.Parallel()
	for n := -400; n <= 400; n++ {
		want, _ := strconv.ParseFloat(fmt.Sprintf("1e%d", n), 64)
		got := Pow10(n)
		if got == want || n < -307 && math.Abs(got-want) <= math.SmallestNonzeroFloat64 {
			continue
		}
		t.Errorf("Pow10(%d) is %x, want %x", n, got, want)
	}
}
