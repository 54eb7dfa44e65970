package tensor_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	ladder "github.com/gridstride/gridstride/examples/ladder/tensor"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
)

func TestBadInput(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	whole, err := gridstride.Make[gpu.BFloat16](dev, 128)
	must(t, err)
	sums, err := gridstride.Cast[float32](whole)
	must(t, err)
	result, err := gridstride.Make[float32](dev, 16)
	must(t, err)
	of := func(rows, cols, from int) ladder.Matrix[gpu.BFloat16] {
		return ladder.Matrix[gpu.BFloat16]{Rows: rows, Cols: cols, Data: whole.Slice(from, from+max(rows*cols, 0))}
	}
	c := func(rows, cols int) ladder.Matrix[float32] {
		return ladder.Matrix[float32]{Rows: rows, Cols: cols, Data: result.Slice(0, rows*cols)}
	}
	for want, x := range map[string]struct {
		a, b ladder.Matrix[gpu.BFloat16]
		c    ladder.Matrix[float32]
	}{
		"tensor: A is 3x8 and B 3x16: rows of both must have as many elements":             {of(3, 8, 0), of(3, 16, 0), c(3, 3)},
		"tensor: A is 3x8 and B 2x8, so C must be 3x2, not 2x3":                            {of(3, 8, 0), of(2, 8, 0), c(2, 3)},
		"tensor: A is 1x8, and its buffer has 16 elements":                                 {ladder.Matrix[gpu.BFloat16]{Rows: 1, Cols: 8, Data: whole.Slice(0, 16)}, of(2, 8, 0), c(1, 2)},
		"tensor: B is -2x-8: a matrix has no negative number":                              {of(3, 8, 0), of(-2, -8, 0), c(3, 2)},
		"tensor: C shares memory with A, ":                                                 {of(1, 16, 0), of(1, 16, 64), ladder.Matrix[float32]{Rows: 1, Cols: 1, Data: sums.Slice(7, 8)}},
		"tensor: C shares memory with B, ":                                                 {of(1, 16, 64), of(1, 16, 0), ladder.Matrix[float32]{Rows: 1, Cols: 1, Data: sums.Slice(7, 8)}},
		"the variant stages takes rows that begin at multiples of 16 bytes, of a multiple": {of(2, 12, 0), of(2, 12, 64), c(2, 2)},
		"the variant stages takes rows":                                                    {of(2, 8, 1), of(2, 8, 64), c(2, 2)},
	} {
		v, err := ladder.VariantNamed("stages")
		must(t, err)
		plan, err := ladder.NewPlan(dev, v)
		must(t, err)
		if err := plan.Launch(dev.Stream(), x.a, x.b, x.c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	must(t, dev.Stream().Wait(t.Context()))
	must(t, errors.Join(whole.Free(), result.Free()))
}

func TestBadVariant(t *testing.T) {
	t.Parallel()
	if _, err := ladder.NewPlan(gputest.Device(t), ladder.Variant{}); err == nil || !strings.Contains(err.Error(), "the zero Variant is none") {
		t.Errorf("the zero Variant: %v", err)
	}
	if _, err := ladder.VariantNamed("fast"); err == nil || !strings.Contains(err.Error(), `no variant "fast": there are fragments, shared, `) {
		t.Errorf("no such variant: %v", err)
	}
}
