// Package kerneltest has what the tests of matrix products share.
package kerneltest

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
)

// Must ends the test with an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Integer is an element of a matrix whose products add up exactly, in any order.
func Integer(i int) float32 { return float32(i*i%7 - 3) }

// Fraction is an element of a matrix whose products are rounded.
func Fraction(i int) float64 { return math.Sin(float64(i)) }

// Unchecked is a device as gputest's, but without checks, for kernels that another test checks.
func Unchecked(t testing.TB, target string) *gridstride.Device {
	t.Helper()
	options := []gridstride.Option{gridstride.SimTarget(target)}
	if !strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") {
		options = append(options, gridstride.Use("sim"))
	}
	dev, err := gridstride.Open(options...)
	Must(t, err)
	t.Cleanup(func() { Must(t, dev.Close()) })
	return dev
}
