package texture

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
)

// fetches are an H100's results at points of a texture of random texels.
type fetches struct {
	Name                         string
	Format                       string
	Channels, Layers             int
	Size                         [3]int
	Address                      [3]abi.AddressMode
	Linear, Normalized, Integers bool
	Border                       [4]float32
	Texels                       []byte
	At                           []byte // three coordinates and a layer each, of 32 bits
	Gives                        []byte
}

func (f *fetches) texture() *Texture {
	t := &Texture{
		Shape:   Shape{Width: f.Size[0], Height: f.Size[1], Depth: f.Size[2], Layers: f.Layers},
		Sampler: Sampler{Address: f.Address, Linear: f.Linear, Normalized: f.Normalized, Integers: f.Integers, Border: f.Border},
		Texels:  f.Texels,
	}
	t.Format = Format{Kind: map[byte]abi.TexelKind{'u': abi.Unsigned, 's': abi.Signed, 'f': abi.Float}[f.Format[0]], Channels: f.Channels}
	fmt.Sscan(f.Format[1:], &t.Bits)
	return t
}

// TestFetches holds fetches to an H100. Sums of eight texels have a weight that is one 256th off in
// two of a hundred places, and sums of signed bytes differ in the last of 16 bits in one of ten.
func TestFetches(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/h100.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []fetches
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		tex := f.texture()
		if n, err := tex.Bytes(); err != nil || n != int64(len(f.Texels)) {
			t.Fatal(f.Name, n, err)
		}
		within := 0.0
		switch {
		case f.Linear && f.Size[2] > 0:
			within = 5.0 / 64
		case f.Linear && f.Format == "s8":
			within = 1.0 / 16384
		}
		for i := range len(f.At) / 16 {
			var at, want [4]uint32
			for k := range at {
				at[k] = binary.LittleEndian.Uint32(f.At[16*i+4*k:])
				want[k] = binary.LittleEndian.Uint32(f.Gives[16*i+4*k:])
			}
			if got := fetched(tex, f.Name, at); !near(got, want, within) {
				t.Errorf("%s of %s, linear %v, at %#x gives %#x, an H100 %#x", f.Name, f.Format, f.Linear, at, got, want)
			}
		}
	}
}

func fetched(t *Texture, name string, at [4]uint32) Texel {
	layer := int(int32(at[3]))
	if strings.HasSuffix(name, ".s32") {
		f := t.PointAt([3]int32{int32(at[0]), int32(at[1]), int32(at[2])}, layer)
		return t.Value(&f)
	}
	f := t.Point([3]float32{math.Float32frombits(at[0]), math.Float32frombits(at[1]), math.Float32frombits(at[2])}, layer)
	return t.Value(&f)
}

// near says whether texels are the same, or differ by no more than a number.
func near(a, b Texel, within float64) bool {
	for k := range a {
		x, y := float64(math.Float32frombits(a[k])), float64(math.Float32frombits(b[k]))
		if a[k] != b[k] && (within == 0 || math.Abs(x-y) > within) {
			return false
		}
	}
	return true
}

// TestBytes refuses textures that there are not, of any size, and knows the size of the others.
func TestBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format Format
		shape  Shape
		bytes  int64 // 0 for none
	}{
		{Format{Kind: abi.Float, Bits: 32, Channels: 1}, Shape{Width: 3, Height: 5}, 60},
		{Format{Kind: abi.Float, Bits: 8, Channels: 1}, Shape{Width: 1}, 0},
		{Format{Kind: abi.Unsigned, Bits: 8, Channels: 3}, Shape{Width: 1}, 0},
		{Format{Kind: abi.Unsigned, Bits: 8, Channels: 4}, Shape{}, 0},
		{Format{Kind: abi.Unsigned, Bits: 8, Channels: 4}, Shape{Width: -1}, 0},
		{Format{Kind: abi.Unsigned, Bits: 8, Channels: 1}, Shape{Width: 1, Height: -1}, 0},
		{Format{Kind: abi.Unsigned, Bits: 8, Channels: 1}, Shape{Width: 1 << 62, Height: 4}, 0},
		{Format{Kind: abi.Unsigned, Bits: 32, Channels: 4}, Shape{Width: 16384, Height: 16384, Depth: 16384}, 1 << 46},
		{Format{Kind: abi.Unsigned, Bits: 32, Channels: 4}, Shape{Width: 131073, Height: 1}, 0},
		{Format{Kind: abi.Unsigned, Bits: 8, Channels: 1}, Shape{Width: 1, Height: 1, Depth: 1, Layers: 2}, 0},
		{Format{Kind: abi.Unsigned, Bits: 8, Channels: 1}, Shape{Width: 2, Layers: 3}, 6},
		{Format{Kind: abi.Unsigned, Bits: 8, Channels: 1}, Shape{Width: 2, Height: 2, Layers: 3, Cube: true}, 72},
		{Format{Kind: abi.Unsigned, Bits: 8, Channels: 1}, Shape{Width: 2, Height: 3, Cube: true}, 0},
		{Format{Kind: abi.Unsigned, Bits: 8, Channels: 1}, Shape{Width: 2, Layers: math.MaxInt}, 0},
	} {
		tex := &Texture{Format: c.format, Shape: c.shape}
		if n, err := tex.Bytes(); n != c.bytes || (err == nil) != (c.bytes > 0) {
			t.Errorf("%+v %+v has %d bytes: %v; want %d", c.format, c.shape, n, err, c.bytes)
		}
	}
}

// TestFarPoints reads at points that are no numbers, or far away, in every mode.
func TestFarPoints(t *testing.T) {
	t.Parallel()
	inf := float32(math.Inf(1))
	for mode := abi.Wrap; mode <= abi.Border; mode++ {
		for _, linear := range []bool{false, true} {
			for _, normalized := range []bool{false, true} {
				tex := &Texture{
					Format: Format{Kind: abi.Float, Bits: 32, Channels: 1}, Shape: Shape{Width: 3, Height: 2, Depth: 2}, Texels: make([]byte, 48),
					Sampler: Sampler{Address: [3]abi.AddressMode{mode, mode, mode}, Linear: linear, Normalized: normalized},
				}
				for _, x := range []float32{inf, -inf, float32(math.NaN()), math.MaxFloat32, -math.MaxFloat32, 1e-45} {
					for _, f := range []Footprint{tex.Point([3]float32{x, -x, 0}, -1), tex.Point([3]float32{0, x, x}, math.MaxInt32)} {
						tex.Value(&f)
					}
				}
				f := tex.PointAt([3]int32{math.MinInt32, math.MaxInt32, 0}, 1)
				tex.Value(&f)
			}
		}
	}
}
