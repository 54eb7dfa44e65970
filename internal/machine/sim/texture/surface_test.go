package texture

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
)

// TestPlace finds the places of accesses inside and outside of surfaces.
func TestPlace(t *testing.T) {
	t.Parallel()
	rgba := Format{Kind: abi.Unsigned, Bits: 8, Channels: 4}
	for _, c := range []struct {
		shape  Shape
		at     [3]int32
		image  uint32
		size   int
		bounds Bounds
		want   int // -1 for nothing, -2 for an error
	}{
		{Shape{Width: 5}, [3]int32{16}, 0, 4, Trap, 16},
		{Shape{Width: 5}, [3]int32{16, 7, 9}, 8, 4, Trap, 16}, // coordinates that it does not have
		{Shape{Width: 5}, [3]int32{20}, 0, 4, Trap, -2},
		{Shape{Width: 5}, [3]int32{16}, 0, 8, Trap, -2},
		{Shape{Width: 5}, [3]int32{20}, 0, 4, Zero, -1},
		{Shape{Width: 5}, [3]int32{20}, 0, 4, Nearest, 16},
		{Shape{Width: 5}, [3]int32{16}, 0, 8, Nearest, 8},
		{Shape{Width: 5}, [3]int32{-4}, 0, 4, Nearest, 0},
		{Shape{Width: 1}, [3]int32{0}, 0, 8, Nearest, -1},
		{Shape{Width: 5}, [3]int32{2}, 0, 4, Trap, -2},
		{Shape{Width: 5}, [3]int32{2}, 0, 2, Trap, 2},
		{Shape{Width: 5, Height: 3}, [3]int32{4, 2}, 0, 4, Trap, 44},
		{Shape{Width: 5, Height: 3}, [3]int32{4, 3}, 0, 4, Trap, -2},
		{Shape{Width: 5, Height: 3}, [3]int32{4, -1}, 0, 4, Nearest, 4},
		{Shape{Width: 5, Height: 3, Depth: 2}, [3]int32{4, 2, 1}, 0, 4, Trap, 104},
		{Shape{Width: 5, Height: 3, Depth: 2}, [3]int32{4, 2, 2}, 0, 4, Zero, -1},
		{Shape{Width: 5, Height: 3, Depth: 2}, [3]int32{4, 2, math.MaxInt32}, 0, 4, Nearest, 104},
		{Shape{Width: 5, Layers: 3}, [3]int32{4}, 2, 4, Trap, 44},
		{Shape{Width: 5, Layers: 3}, [3]int32{4}, math.MaxUint32, 4, Trap, -2},
		{Shape{Width: 2, Height: 2, Cube: true}, [3]int32{4, 1}, 5, 4, Trap, 92},
		{Shape{Width: 2, Height: 2, Cube: true}, [3]int32{4, 1}, 6, 4, Trap, -2},
		{Shape{Width: 2, Height: 2, Layers: 2, Cube: true}, [3]int32{4, 1}, 11, 4, Trap, 188},
	} {
		s := &Surface{rgba, c.shape}
		if _, err := s.Bytes(); err != nil {
			t.Fatal(err)
		}
		got, err := s.Place(c.at, c.image, c.size, c.bounds)
		if err != nil {
			got = -2
		}
		if got != c.want {
			t.Errorf("%+v at %v of image %d, %d bytes, %s: %d, %v; want %d", c.shape, c.at, c.image, c.size, c.bounds, got, err, c.want)
		}
	}
}

// TestPlacesAreInside asks for random places: none is outside of the surface's bytes.
func TestPlacesAreInside(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	coordinate := func() int32 {
		return []int32{math.MinInt32, math.MaxInt32, rng.Int32(), rng.Int32N(40) - 10, rng.Int32N(4)}[rng.IntN(5)]
	}
	for range 100000 {
		s := &Surface{Format{Kind: abi.Unsigned, Bits: 8 << rng.IntN(3), Channels: 1 << rng.IntN(3)}, Shape{Width: 1 + rng.IntN(5)}}
		switch rng.IntN(5) {
		case 0:
			s.Height = 1 + rng.IntN(4)
		case 1:
			s.Height, s.Depth = 1+rng.IntN(4), 1+rng.IntN(4)
		case 2:
			s.Layers = 1 + rng.IntN(4)
		case 3:
			s.Height, s.Cube, s.Layers = s.Width, true, rng.IntN(3)
		}
		size := 1 << rng.IntN(5)
		bounds := []Bounds{Trap, Nearest, Zero}[rng.IntN(3)]
		bytes, bad := s.Bytes()
		if bad != nil {
			t.Fatal(bad)
		}
		at, err := s.Place([3]int32{coordinate(), coordinate(), coordinate()}, uint32(coordinate()), size, bounds)
		var askew *Misaligned
		switch {
		case err != nil && bounds != Trap && !errors.As(err, &askew):
			t.Fatalf("%+v with %s: %v", s, bounds, err)
		case err == nil && at >= 0 && (int64(at+size) > bytes || at%size != 0 && s.row()%size == 0):
			t.Fatalf("%+v: %d bytes at %d of %d", s, size, at, bytes)
		}
	}
}

// TestCubes meets each face of a cube, and the texel of a face that CUDA's guide says.
func TestCubes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at   [3]float32
		face int
		s, t float32
	}{
		{[3]float32{2, 1, 0.5}, 0, 0.375, 0.25},
		{[3]float32{-2, 1, 0.5}, 1, 0.625, 0.25},
		{[3]float32{1, 2, 0.5}, 2, 0.75, 0.625},
		{[3]float32{1, -2, 0.5}, 3, 0.75, 0.375},
		{[3]float32{1, 0.5, 2}, 4, 0.75, 0.375},
		{[3]float32{1, 0.5, -2}, 5, 0.25, 0.375},
		{[3]float32{1, 1, 0.5}, 2, 1, 0.75}, // an edge is y's, and before it z's
		{[3]float32{1, 1, 1}, 4, 1, 0},
	} {
		if face, s, u := faceOf(c.at); face != c.face || s != c.s || u != c.t {
			t.Errorf("%v meets face %d at %g, %g; want %d at %g, %g", c.at, face, s, u, c.face, c.s, c.t)
		}
	}
	cube := &Texture{
		Format: Format{Kind: abi.Unsigned, Bits: 8, Channels: 1}, Shape: Shape{Width: 2, Height: 2, Layers: 2, Cube: true},
		Sampler: Sampler{Normalized: true, Integers: true}, Texels: make([]byte, 48),
	}
	for i := range cube.Texels {
		cube.Texels[i] = byte(i)
	}
	if n, err := cube.Bytes(); err != nil || n != 48 {
		t.Fatal(n, err)
	}
	f := cube.Point([3]float32{-1, -0.5, 0.5}, 1)
	if got := cube.Value(&f); got[0] != 24+4+3 {
		t.Errorf("face 1 of layer 1 gives %d", got[0])
	}
	for _, x := range []float32{0, float32(math.NaN()), float32(math.Inf(1)), math.MaxFloat32, 1e-45} {
		for _, at := range [][3]float32{{x, x, x}, {x, 0, -x}, {0, x, x}} {
			for _, linear := range []bool{false, true} {
				cube.Linear = linear
				point, corners := cube.Point(at, -1), cube.Corners(at, 9)
				cube.Value(&point)
				cube.Gather(&corners, 3)
			}
		}
	}
}

// TestGather gives the four texels around a point, from the lower left on, and their border.
func TestGather(t *testing.T) {
	t.Parallel()
	tex := &Texture{
		Format: Format{Kind: abi.Unsigned, Bits: 8, Channels: 2}, Shape: Shape{Width: 3, Height: 2},
		Sampler: Sampler{Address: [3]abi.AddressMode{abi.Border, abi.Border, abi.Border}, Integers: true, Border: [4]float32{0, math.Float32frombits(99)}},
		Texels:  []byte{0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15},
	}
	for _, c := range []struct {
		x, y    float32
		channel int
		want    Texel
	}{
		{1, 1, 0, Texel{3, 4, 1, 0}},
		{2.2, 1.2, 1, Texel{14, 15, 12, 11}},
		{3, 2, 1, Texel{99, 99, 99, 15}},
		{1, 1, 3, Texel{}},
	} {
		f := tex.Corners([3]float32{c.x, c.y}, 0)
		if got := tex.Gather(&f, c.channel); got != c.want {
			t.Errorf("channel %d around %g, %g is %v, want %v", c.channel, c.x, c.y, got, c.want)
		}
	}
}

// TestPitch reads rows that are further from each other than they are long.
func TestPitch(t *testing.T) {
	t.Parallel()
	tex := &Texture{
		Format: Format{Kind: abi.Unsigned, Bits: 8, Channels: 1}, Shape: Shape{Width: 3, Height: 2}, Pitch: 32, Sampler: Sampler{Integers: true},
		Texels: append(append([]byte{1, 2, 3}, make([]byte, 29)...), 4, 5, 6),
	}
	if n, err := tex.Bytes(); err != nil || n != 35 {
		t.Fatal(n, err)
	}
	f := tex.PointAt([3]int32{1, 1}, 0)
	if got := tex.Value(&f); got[0] != 5 {
		t.Errorf("the second of the second row is %d", got[0])
	}
	for _, pitch := range []int{2, 40, -32, 1 << 62} {
		tex.Pitch = pitch
		if _, err := tex.Bytes(); err == nil {
			t.Errorf("a pitch of %d is taken", pitch)
		}
	}
}

// TestFetchesAreInside reads random textures at random points: no texel is outside of the texels.
func TestFetchesAreInside(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	coordinate := func() float32 {
		return []float32{
			math.Float32frombits(rng.Uint32()), float32(rng.IntN(12) - 4), rng.Float32()*4 - 2, float32(math.Inf(1)), float32(math.NaN()),
		}[rng.IntN(5)]
	}
	for range 100000 {
		x := &Texture{
			Format: Format{Kind: abi.Unsigned, Bits: 8 << rng.IntN(3), Channels: 1 << rng.IntN(3)}, Shape: Shape{Width: 1 + rng.IntN(5)},
			Sampler: Sampler{Linear: rng.IntN(2) == 0, Normalized: rng.IntN(2) == 0, Integers: rng.IntN(2) == 0},
		}
		for d := range x.Address {
			x.Address[d] = abi.AddressMode(rng.IntN(4))
		}
		switch rng.IntN(5) {
		case 0:
			x.Height = 1 + rng.IntN(4)
		case 1:
			x.Height, x.Depth = 1+rng.IntN(4), 1+rng.IntN(4)
		case 2:
			x.Layers = 1 + rng.IntN(4)
		case 3:
			x.Height, x.Cube, x.Layers = x.Width, true, rng.IntN(3)
		}
		n, err := x.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		x.Texels = make([]byte, n)
		at, layer := [3]float32{coordinate(), coordinate(), coordinate()}, int(rng.Int32())-1<<30
		list := []Footprint{x.Point(at, layer)}
		if x.Dims() == 2 {
			list = append(list, x.Corners(at, layer))
		}
		if !x.Cube {
			list = append(list, x.PointAt([3]int32{int32(at[0]), rng.Int32N(9) - 3, rng.Int32()}, layer))
		}
		for _, f := range list {
			f.Reads(func(_, at int) {
				if at < 0 || int64(at+x.Format.Size()) > n || at%x.Format.Size() != 0 {
					t.Fatalf("%+v reads a texel at %d of %d bytes", x.Shape, at, n)
				}
			})
			x.Value(&f)
		}
	}
}
