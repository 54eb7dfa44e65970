package gridstride_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

//go:embed testdata/textures.ptx
var textureKernels string

// textured is a device with the kernels of testdata/textures.ptx.
type textured struct {
	t   testing.TB
	dev *gridstride.Device
	mod *gridstride.Module
}

func newTextured(t testing.TB) *textured {
	t.Helper()
	dev := open(t)
	mod, err := dev.Load("textures.ptx", textureKernels)
	must(t, err)
	return &textured{t, dev, mod}
}

// run runs a kernel with a thread for each texel of images of a size, and returns what each stored.
func (d *textured) run(name string, width, height, images int, args ...any) []float32 {
	d.t.Helper()
	k, err := d.mod.Kernel(name)
	must(d.t, err)
	out, err := gridstride.Make[float32](d.dev, width*height*images)
	must(d.t, err)
	s := d.dev.Stream()
	must(d.t, k.Launch(s, gridstride.Config{GridDim: gridstride.Dim3{X: 1, Y: 1, Z: images}, BlockDim: gridstride.Dim3{X: width, Y: height, Z: 1}},
		append([]any{out}, args...)...))
	got := read(d.t, s, out)
	must(d.t, out.Free())
	return got
}

// arrayOf makes an array with texels, and frees it at the end.
func arrayOf[T any](d *textured, shape gridstride.ArrayShape, texels []T) gridstride.Array[T] {
	d.t.Helper()
	a, err := gridstride.MakeArray[T](d.dev, shape)
	must(d.t, err)
	d.t.Cleanup(func() { _ = a.Free() })
	must(d.t, a.Write(d.t.Context(), d.dev.Stream(), texels))
	return a
}

// textureOf makes a texture object of an array, and frees it at the end.
func textureOf[T any](d *textured, a gridstride.Array[T], s gridstride.Sampler) gridstride.TextureObject {
	d.t.Helper()
	tex, err := a.Texture(s)
	must(d.t, err)
	d.t.Cleanup(func() { _ = tex.Free() })
	return tex
}

func (d *textured) want(name string, got, want []float32) {
	d.t.Helper()
	if !slices.Equal(got, want) {
		d.t.Errorf("%s gives %v, want %v", name, got, want)
	}
}

// everywhere is an address mode for all dimensions.
func everywhere(m gridstride.AddressMode) [3]gridstride.AddressMode {
	return [3]gridstride.AddressMode{m, m, m}
}

// TestRotatedTexture turns an image by a quarter, as simpleTexture does, with a linear filter at the
// middle of texels.
func TestRotatedTexture(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	const n = 16
	tex := textureOf(d, arrayOf(d, gridstride.ArrayShape{Width: n, Height: n}, ramp(n*n)),
		gridstride.Sampler{Linear: true, Normalized: true, Address: everywhere(gridstride.AddressWrap)})
	want := make([]float32, n*n)
	for y := range n {
		for x := range n {
			want[y*n+x] = float32(x*n + n - 1 - y)
		}
	}
	d.want("rotate", d.run("rotate", n, n, 1, tex, float32(0), float32(1)), want)
	half := d.run("rotate", n, n, 1, tex, float32(-1), float32(0))
	slices.Reverse(half)
	d.want("rotate by a half", half, ramp(n*n))
}

// TestBoxFilter adds up neighbours, also outside of the edges, as boxFilter does.
func TestBoxFilter(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	const w, h, radius = 13, 5, 3
	a := arrayOf(d, gridstride.ArrayShape{Width: w, Height: h}, ramp(w*h))
	for _, mode := range []gridstride.AddressMode{gridstride.AddressClamp, gridstride.AddressBorder} {
		tex := textureOf(d, a, gridstride.Sampler{Address: everywhere(mode), Border: [4]float32{1000}})
		var want []float32
		for y := range h {
			for x := range w {
				sum := float32(0)
				for i := x - radius; i <= x+radius; i++ {
					switch {
					case mode == gridstride.AddressBorder && (i < 0 || i >= w):
						sum += 1000
					default:
						sum += float32(y*w + min(max(i, 0), w-1))
					}
				}
				want = append(want, sum)
			}
		}
		d.want("box", d.run("box", w, h, 1, tex, int32(radius)), want)
	}
}

// TestSurfaceWrite stores to a surface, and reads the array by the host, by a surface and by a
// texture, as simpleSurfaceWrite does.
func TestSurfaceWrite(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	const w, h = 13, 7
	a := arrayOf(d, gridstride.ArrayShape{Width: w, Height: h, Surface: true}, ramp(w*h))
	surface, err := a.Surface()
	must(t, err)
	d.want("the surface before", d.run("paint", w, h, 1, surface), ramp(w*h))
	var want []float32
	for y := range h {
		for x := range w {
			want = append(want, float32(100*y+x))
		}
	}
	got, err := a.Read(t.Context(), d.dev.Stream(), nil)
	must(t, err)
	d.want("the array", got, want)
	d.want("the texture", d.run("box", w, h, 1, textureOf(d, a, gridstride.Sampler{}), int32(0)), want)
	must(t, surface.Free())
}

// TestDeepSurface stores to a surface of three dimensions, also outside of it.
func TestDeepSurface(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	const w, h, n = 5, 3, 4
	a := arrayOf(d, gridstride.ArrayShape{Width: w, Height: h, Depth: n, Surface: true}, ramp(w*h*n))
	surface, err := a.Surface()
	must(t, err)
	got := d.run("paintDeep", w+2, h+1, n+1, surface)
	want := make([]float32, (w+2)*(h+1)*(n+1))
	painted := ramp(w * h * n)
	for i := range painted {
		want[(i/(w*h)*(h+1)+i/w%h)*(w+2)+i%w] = float32(i)
		painted[i] += float32(i / (w * h))
	}
	d.want("the surface before", got, want)
	d.want("the surface after", d.run("volume", w, h, n, textureOf(d, a, gridstride.Sampler{})), painted)
	must(t, surface.Free())
}

// TestLayeredTexture reads layers, as simpleLayeredTexture does.
func TestLayeredTexture(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	const n, layers = 8, 5
	tex := textureOf(d, arrayOf(d, gridstride.ArrayShape{Width: n, Height: n, Layers: layers}, ramp(n*n*layers)),
		gridstride.Sampler{Linear: true, Normalized: true})
	want := ramp(n * n * layers)
	for i := range want {
		want[i] = float32(i/(n*n)) - want[i]
	}
	d.want("layers", d.run("layers", n, n, layers, tex), want)
}

// TestCubeTexture reads the faces of a cube, as simpleCubemapTexture does, and of layers of cubes.
func TestCubeTexture(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	const n, faces = 16, 6
	sampler := gridstride.Sampler{Normalized: true, Address: everywhere(gridstride.AddressClamp)}
	tex := textureOf(d, arrayOf(d, gridstride.ArrayShape{Width: n, Height: n, Cube: true}, ramp(n*n*faces)), sampler)
	d.want("cube", d.run("cube", n, n, faces, tex), ramp(n*n*faces))
	many := textureOf(d, arrayOf(d, gridstride.ArrayShape{Width: n, Height: n, Cube: true, Layers: 3}, ramp(n*n*faces*3)), sampler)
	d.want("cubes", d.run("cubes", n, n, faces, many, uint32(2)), ramp(n * n * faces * 3)[n*n*faces*2:])
}

// TestLinearTextures reads buffers, as a line and as rows that are further from each other than they
// are long.
func TestLinearTextures(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	b := copyOf(t, d.dev, ramp(96))
	line, err := b.Slice(0, 30).Texture(gridstride.Sampler{})
	must(t, err)
	d.want("line", d.run("line", 34, 1, 1, line), append(append([]float32{0, 0}, ramp(30)...), 0, 0))
	rows, err := b.Texture2D(20, 3, 32, gridstride.Sampler{Linear: true})
	must(t, err)
	var want []float32
	for i := range 60 {
		want = append(want, float32(i/20*32+i%20))
	}
	d.want("rows", d.run("box", 20, 3, 1, rows, int32(0)), want)
	must(t, line.Free())
	must(t, rows.Free())
}

// TestGatheredTexture reads four texels at a time.
func TestGatheredTexture(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	tex := textureOf(d, arrayOf(d, gridstride.ArrayShape{Width: 3, Height: 2, Gather: true}, []float32{1, 2, 3, 4, 5, 6}),
		gridstride.Sampler{Address: everywhere(gridstride.AddressClamp)})
	d.want("corners", d.run("corners", 3, 2, 1, tex), []float32{1111, 1221, 2332, 4411, 4521, 5632})
}

// TestTexelTypes reads channels of several types.
func TestTexelTypes(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	want := []float32{4321, 8765}
	shape := gridstride.ArrayShape{Width: 2, Height: 1}
	bytes := arrayOf(d, shape, [][4]uint8{{1, 2, 3, 4}, {5, 6, 7, 8}})
	d.want("bytes", d.run("channels", 2, 1, 1, textureOf(d, bytes, gridstride.Sampler{})), want)
	words := arrayOf(d, shape, []gpu.Uint32x4{{X: 1, Y: 2, Z: 3, W: 4}, {X: 5, Y: 6, Z: 7, W: 8}})
	d.want("words", d.run("channels", 2, 1, 1, textureOf(d, words, gridstride.Sampler{})), want)
	pairs := arrayOf(d, shape, [][2]uint16{{1, 2}, {5, 6}})
	d.want("pairs", d.run("channels", 2, 1, 1, textureOf(d, pairs, gridstride.Sampler{})), []float32{21, 65})
	d.want("bytes from 0 to 1", d.run("box", 2, 1, 1, textureOf(d, arrayOf(d, shape, []uint8{0, 255}), gridstride.Sampler{Floats: true}), int32(0)),
		[]float32{0, 1})
	d.want("bytes from -1 to 1", d.run("box", 2, 1, 1, textureOf(d, arrayOf(d, shape, []int8{-128, 127}), gridstride.Sampler{Floats: true}), int32(0)),
		[]float32{-1, 1})
	halves := arrayOf(d, shape, []gpu.Float16{gpu.Float16Of(0.5), gpu.Float16Of(-2.0)})
	d.want("halves", d.run("box", 2, 1, 1, textureOf(d, halves, gridstride.Sampler{Linear: true}), int32(0)), []float32{0.5, -2})
	d.want("sizes", d.run("sizes", 1, 1, 1, textureOf(d, halves, gridstride.Sampler{})), []float32{201})
}

// TestArrayCopies takes texels to arrays and back, by the host and by buffers, of every shape.
func TestArrayCopies(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	s := d.dev.Stream()
	for _, c := range []struct {
		shape  gridstride.ArrayShape
		texels int
	}{
		{gridstride.ArrayShape{Width: 1}, 1},
		{gridstride.ArrayShape{Width: 33, Surface: true}, 33},
		{gridstride.ArrayShape{Width: 7, Height: 5}, 35},
		{gridstride.ArrayShape{Width: 7, Height: 5, Depth: 3}, 105},
		{gridstride.ArrayShape{Width: 7, Layers: 4}, 28},
		{gridstride.ArrayShape{Width: 7, Height: 5, Layers: 4, Surface: true}, 140},
		{gridstride.ArrayShape{Width: 5, Height: 5, Cube: true}, 150},
		{gridstride.ArrayShape{Width: 5, Height: 5, Cube: true, Layers: 2}, 300},
	} {
		a := arrayOf(d, c.shape, ramp(c.texels))
		if a.Len() != c.texels {
			t.Errorf("%+v has %d texels", c.shape, a.Len())
		}
		to, err := gridstride.Make[float32](d.dev, c.texels)
		must(t, err)
		must(t, a.CopyTo(s, to))
		d.want("a copy", read(t, s, to), ramp(c.texels))
		must(t, to.Fill(s, 7))
		must(t, a.CopyFrom(s, to))
		must(t, to.Free())
		got, err := a.Read(t.Context(), s, nil)
		must(t, err)
		if got[0] != 7 || got[c.texels-1] != 7 {
			t.Errorf("%+v: an array that was overwritten is %v", c.shape, got)
		}
	}
}

// TestArraysThatAreNone refuses shapes, types and samplers, of any size.
func TestArraysThatAreNone(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	for _, shape := range []gridstride.ArrayShape{
		{}, {Width: -1}, {Width: math.MaxInt}, {Width: math.MinInt}, {Height: 4}, {Width: 4, Height: -1}, {Width: 4, Depth: 4},
		{Width: 131073}, {Width: 32769, Surface: true}, {Width: 32769, Layers: 1}, {Width: 4, Layers: -1}, {Width: 4, Layers: 2049},
		{Width: 4, Height: 65537}, {Width: 32769, Height: 4, Gather: true}, {Width: 4, Gather: true}, {Width: 16385, Height: 4, Depth: 4},
		{Width: 4, Height: 4, Depth: math.MaxInt}, {Width: 4, Height: 4, Depth: 4, Layers: 4}, {Width: 4, Height: 5, Cube: true}, {Width: 4, Cube: true},
		{Width: 4, Height: 4, Depth: 4, Cube: true}, {Width: 4, Height: 4, Cube: true, Layers: 342}, {Width: 4, Height: 4, Layers: math.MaxInt},
		{Width: 1 << 32, Height: 1 << 32, Depth: 1 << 32},
	} {
		if _, err := gridstride.MakeArray[float32](d.dev, shape); !errors.Is(err, gridstride.ErrRange) {
			t.Errorf("%+v: %v", shape, err)
		}
	}
	if _, err := gridstride.MakeArray[gpu.Float32x4](d.dev, gridstride.ArrayShape{Width: 32768, Height: 32768, Layers: 2048}); !errors.Is(err, gridstride.ErrOutOfMemory) {
		t.Errorf("an array of 2^45 bytes: %v", err)
	}
	shape := gridstride.ArrayShape{Width: 4}
	refused := func(_ any, err error) {
		t.Helper()
		if !errors.Is(err, gridstride.ErrElement) {
			t.Error(err)
		}
	}
	refused(gridstride.MakeArray[float64](d.dev, shape))
	refused(gridstride.MakeArray[[3]float32](d.dev, shape))
	refused(gridstride.MakeArray[[4096]uint8](d.dev, shape))
	refused(gridstride.MakeArray[[0]uint8](d.dev, shape))
	refused(gridstride.MakeArray[struct {
		a float32
		b int32
	}](d.dev, shape))
	refused(gridstride.MakeArray[bool](d.dev, shape))
	refused(gridstride.MakeArray[gpu.BFloat16](d.dev, shape))
	refused(gridstride.MakeArray[*int](d.dev, shape))
	refused(gridstride.MakeArray[struct{}](d.dev, shape))

	a := arrayOf(d, gridstride.ArrayShape{Width: 4}, make([]uint32, 4))
	square := arrayOf(d, gridstride.ArrayShape{Width: 2, Height: 2, Cube: true}, ramp(24))
	b := copyOf(t, d.dev, ramp(96))
	for name, make := range map[string]func() (gridstride.TextureObject, error){
		"linear integers": func() (gridstride.TextureObject, error) { return a.Texture(gridstride.Sampler{Linear: true}) },
		"floats of words": func() (gridstride.TextureObject, error) { return a.Texture(gridstride.Sampler{Floats: true}) },
		"no mode":         func() (gridstride.TextureObject, error) { return a.Texture(gridstride.Sampler{Address: everywhere(9)}) },
		"cube":            func() (gridstride.TextureObject, error) { return square.Texture(gridstride.Sampler{}) },
		"an odd start":    func() (gridstride.TextureObject, error) { return b.Slice(1, 9).Texture(gridstride.Sampler{}) },
		"an odd pitch":    func() (gridstride.TextureObject, error) { return b.Texture2D(3, 3, 5, gridstride.Sampler{}) },
	} {
		if _, err := make(); !errors.Is(err, gridstride.ErrTexture) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := a.Surface(); !errors.Is(err, gridstride.ErrTexture) {
		t.Errorf("a surface of an array that was made without: %v", err)
	}
	for _, c := range [][3]int{{0, 1, 8}, {8, 0, 8}, {8, 13, 8}, {9, 1, 8}, {-8, -8, -8}, {8, math.MaxInt, 8}, {8, 2, math.MaxInt}, {math.MaxInt, math.MaxInt, math.MaxInt}} {
		if _, err := b.Texture2D(c[0], c[1], c[2], gridstride.Sampler{}); !errors.Is(err, gridstride.ErrRange) {
			t.Errorf("%v: %v", c, err)
		}
	}
	if _, err := b.Slice(0, 0).Texture(gridstride.Sampler{}); !errors.Is(err, gridstride.ErrRange) {
		t.Errorf("no elements: %v", err)
	}
	if err := a.Write(t.Context(), d.dev.Stream(), nil); !errors.Is(err, gridstride.ErrRange) {
		t.Errorf("no texels: %v", err)
	}
	if err := a.CopyFrom(d.dev.Stream(), gridstride.Buffer[uint32]{}); !errors.Is(err, gridstride.ErrRange) {
		t.Errorf("an empty buffer: %v", err)
	}
}

// TestTextureLives: what was freed is refused, work that is queued may end, and what was not freed
// is missed.
func TestTextureLives(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	s := d.dev.Stream()
	k, err := d.mod.Kernel("box")
	must(t, err)
	out, err := gridstride.Make[float32](d.dev, 4)
	must(t, err)
	launch := func(tex any) error {
		return k.Launch(s, gridstride.Grid(1).Block(4), out, tex, int32(0))
	}
	a, err := gridstride.MakeArray[float32](d.dev, gridstride.ArrayShape{Width: 4, Height: 1, Surface: true})
	must(t, err)
	must(t, a.Write(t.Context(), s, ramp(4)))
	tex, err := a.Texture(gridstride.Sampler{})
	must(t, err)
	surface, err := a.Surface()
	must(t, err)
	if u := d.dev.Usage(); u.Bytes != 32 || u.Buffers != 4 {
		t.Errorf("usage %+v", u)
	}
	must(t, launch(tex))
	must(t, tex.Free()) // while the launch may run
	if err := launch(tex); !errors.Is(err, gridstride.ErrFreed) || !strings.Contains(err.Error(), "the texture object made at texture_test.go:") {
		t.Errorf("a texture object that was freed: %v", err)
	}
	if err := tex.Free(); !errors.Is(err, gridstride.ErrFreed) {
		t.Errorf("freed again: %v", err)
	}
	d.want("the launch before", read(t, s, out), ramp(4))
	other, err := a.Texture(gridstride.Sampler{})
	must(t, err)
	must(t, launch(other))
	must(t, a.Free())
	if err := launch(other); !errors.Is(err, gridstride.ErrFreed) || !strings.Contains(err.Error(), "the array made at texture_test.go:") {
		t.Errorf("a texture object of an array that was freed: %v", err)
	}
	d.want("the launch before", read(t, s, out), ramp(4))
	must(t, other.Free())
	must(t, surface.Free())
	for name, err := range map[string]error{
		"write": a.Write(t.Context(), s, ramp(4)), "copy": a.CopyTo(s, out), "free": a.Free(),
	} {
		if !errors.Is(err, gridstride.ErrFreed) {
			t.Errorf("%s of an array that was freed: %v", name, err)
		}
	}
	if _, err := a.Texture(gridstride.Sampler{}); !errors.Is(err, gridstride.ErrFreed) {
		t.Errorf("a texture of an array that was freed: %v", err)
	}
	for _, arg := range []any{gridstride.TextureObject{}, gridstride.SurfaceObject{}} {
		if err := launch(arg); !errors.Is(err, gridstride.ErrArgument) {
			t.Errorf("a zero object: %v", err)
		}
	}
	if err := k.Launch(s, gridstride.Grid(1).Block(4), out, out, other); !errors.Is(err, gridstride.ErrArgument) {
		t.Errorf("an object for a number: %v", err)
	}
	if err := a.Write(t.Context(), nil, ramp(4)); !errors.Is(err, gridstride.ErrArgument) {
		t.Errorf("no stream: %v", err)
	}
	must(t, out.Free())
}

// TestTexturesAtOnce makes, uses and frees arrays and objects from several goroutines, each on
// its own stream, and all of them read one array besides.
func TestTexturesAtOnce(t *testing.T) {
	t.Parallel()
	d := newTextured(t)
	k, err := d.mod.Kernel("box")
	must(t, err)
	shared := textureOf(d, arrayOf(d, gridstride.ArrayShape{Width: 32, Height: 1}, ramp(32)), gridstride.Sampler{})
	one := func(s *gridstride.Stream) (err error) {
		a, err := gridstride.MakeArray[float32](d.dev, gridstride.ArrayShape{Width: 32, Height: 1})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, a.Free()) }()
		if err := a.Write(t.Context(), s, ramp(32)); err != nil {
			return err
		}
		own, err := a.Texture(gridstride.Sampler{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, own.Free()) }()
		out, err := gridstride.Make[float32](d.dev, 32)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, out.Free()) }()
		for _, tex := range []gridstride.TextureObject{own, shared} {
			if err := k.Launch(s, gridstride.Grid(1).Block(32), out, tex, int32(0)); err != nil {
				return err
			}
			if got, err := out.Read(t.Context(), s, nil); err != nil || !slices.Equal(got, ramp(32)) {
				return errors.Join(err, fmt.Errorf("wrong texels, shared %v: %v", tex == shared, got))
			}
		}
		return nil
	}
	must(t, d.dev.Stream().Wait(t.Context())) // for the texels that the other streams read
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s := d.dev.NewStream()
			for range 20 {
				if err := one(s); err != nil {
					t.Error(err)
				}
			}
			s.Close()
		})
	}
	all.Wait()
}

// TestTexturesAtTheEnd: a device that is closed gives arrays and objects back and names them, and
// refuses their use.
func TestTexturesAtTheEnd(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open()
	must(t, err)
	a, err := gridstride.MakeArray[float32](dev, gridstride.ArrayShape{Width: 4, Surface: true})
	must(t, err)
	_, err = a.Texture(gridstride.Sampler{})
	must(t, err)
	_, err = a.Surface()
	must(t, err)
	stream := dev.Stream()
	if err := dev.Close(); !errors.Is(err, gridstride.ErrLeak) || !strings.Contains(err.Error(), "1 array, 1 texture object, 1 surface object (16 bytes)") {
		t.Errorf("a leak: %v", err)
	}
	_, made := gridstride.MakeArray[float32](dev, gridstride.ArrayShape{Width: 4})
	_, object := a.Texture(gridstride.Sampler{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	for name, err := range map[string]error{"make": made, "texture": object, "write": a.Write(ctx, stream, ramp(4))} {
		if !errors.Is(err, gridstride.ErrClosed) {
			t.Errorf("%s on a device that is closed: %v", name, err)
		}
	}
}

// An array of two rows, read by the kernel of a PTX text: tex.2d with a linear filter.
func ExampleArray_Texture() {
	dev, err := gridstride.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	module, err := dev.Load("textures.ptx", textureKernels)
	if err != nil {
		log.Fatal(err)
	}
	box, err := module.Kernel("box") // the sum of the texels of a row, up to radius away
	if err != nil {
		log.Fatal(err)
	}
	image, err := gridstride.MakeArray[float32](dev, gridstride.ArrayShape{Width: 4, Height: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer image.Free()
	s, ctx := dev.Stream(), context.Background()
	if err := image.Write(ctx, s, []float32{1, 2, 3, 4, 10, 20, 30, 40}); err != nil {
		log.Fatal(err)
	}
	clamp := gridstride.AddressClamp
	texture, err := image.Texture(gridstride.Sampler{Address: [3]gridstride.AddressMode{clamp, clamp}})
	if err != nil {
		log.Fatal(err)
	}
	defer texture.Free()
	sums, err := gridstride.Make[float32](dev, 8)
	if err != nil {
		log.Fatal(err)
	}
	defer sums.Free()
	one := gridstride.Config{GridDim: gridstride.Dim3{X: 1, Y: 1, Z: 1}, BlockDim: gridstride.Dim3{X: 4, Y: 2, Z: 1}}
	if err := box.Launch(s, one, sums, texture, int32(1)); err != nil {
		log.Fatal(err)
	}
	got, err := sums.Read(ctx, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got)
	// Output: [4 6 9 11 40 60 90 110]
}
