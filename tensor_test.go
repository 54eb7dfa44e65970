package gridstride_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// TestTensorMapRefused makes maps that no GPU takes, or that reach over their buffer.
func TestTensorMapRefused(t *testing.T) {
	t.Parallel()
	dev := open(t)
	if dev.Info().MaxCluster == 1 {
		t.Skipf("%v has no copies of tensors", dev)
	}
	b, err := gridstride.Make[float32](dev, 64*16)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	two := func(rows, stride, boxColumns, boxRows, swizzle int) gridstride.Tensor {
		return gridstride.Tensor{Dims: []int{64, rows}, Strides: []int{stride}, Box: []int{boxColumns, boxRows}, Swizzle: swizzle}
	}
	for _, c := range []struct {
		b    gridstride.Buffer[float32]
		t    gridstride.Tensor
		want string
	}{
		{b, two(16, 64, 32, 8, 128), ""},
		{b, gridstride.Tensor{Dims: []int{64, 16}, Box: []int{64, 16}}, ""},
		{b, two(17, 64, 32, 8, 0), "reaches over 4352 bytes, and the buffer has 4096"},
		{b.Slice(1, 1024), two(15, 64, 32, 8, 0), "no multiple of 16 bytes"},
		{b, two(10, 65, 32, 8, 0), "the stride of dimension 1 is 260 bytes"},
		{b, two(16, 64, 30, 8, 0), "a row of the box has 120 bytes"},
		{b, two(16, 64, 64, 8, 128), "more than the 128 of the swizzle"},
		{b, two(16, 64, 32, 8, 48), "the swizzle has 48 bytes"},
		{b, two(16, 64, 32, 257, 0), "the box has 257 elements in dimension 1"},
		{b, two(16, 64, 32, 0, 0), "the box has 0 elements in dimension 1"},
		{b, two(0, 64, 32, 8, 0), "dimension 1 has 0 elements"},
		{b, two(-1, 64, 32, 8, 0), "Dims[1] is -1, which is negative"},
		{b, gridstride.Tensor{}, "it has 0 dimensions"},
		{b, gridstride.Tensor{Dims: []int{4, 1, 1, 1, 1, 1}, Box: []int{4, 1, 1, 1, 1, 1}}, "it has 6 dimensions"},
		{b, gridstride.Tensor{Dims: []int{64, 16}, Box: []int{64}}, "and its box 1"},
		{gridstride.Buffer[float32]{}, two(16, 64, 32, 8, 0), "the buffer has 0"},
	} {
		_, err := c.b.TensorMap(c.t)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c.t, err)
		case c.want != "" && (!errors.Is(err, gridstride.ErrRange) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: %v, want %q", c.t, err, c.want)
		}
	}
	pairs, err := gridstride.Make[gpu.Float32x2](dev, 16)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pairs.TensorMap(gridstride.Tensor{Dims: []int{16}, Box: []int{4}}); !errors.Is(err, gridstride.ErrElement) {
		t.Errorf("a map of pairs: %v", err)
	}
	if err := pairs.Free(); err != nil {
		t.Fatal(err)
	}
	if _, err := pairs.TensorMap(gridstride.Tensor{Dims: []int{16}, Box: []int{4}}); err == nil {
		t.Error("a map of a buffer that was freed")
	}
}
