package texture

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/abi"
)

// Surface is an array that kernels read and write as bytes: no format, no filter.
type Surface struct {
	Format
	Shape
}

// Bounds says what an access outside of a surface does.
type Bounds string

// The bounds, as PTX calls them.
const (
	Trap    Bounds = "trap"  // it fails
	Nearest Bounds = "clamp" // it goes to the nearest place inside
	Zero    Bounds = "zero"  // it reads zeros and writes nothing
)

// Bytes is the size of the surface, or what is wrong with its format or its shape.
func (s *Surface) Bytes() (int64, error) {
	a := &abi.Array{TexelFormat: s.Format, ArrayShape: s.Shape, Surface: true}
	if err := a.Check(); err != nil {
		return 0, err
	}
	return a.Bytes(), nil
}

// row is the size of a row in bytes.
func (s *Surface) row() int { return s.Width * s.Format.Size() }

// Layered says whether an access names an image: a layer, or a face of a cube.
func (s *Surface) Layered() bool { return s.Layers > 0 || s.Cube }

// Place is the first byte of an access of size bytes in an image, at a byte of a row. The offset is
// negative for an access that reads zeros and writes nothing. The error is for one that fails.
func (s *Surface) Place(at [3]int32, image uint32, size int, bounds Bounds) (offset int, err error) {
	i := [4]int{int(at[0]), int(at[1]), int(at[2]), int(image)}
	last := [4]int{s.row() - size, s.Extent(1) - 1, s.Extent(2) - 1, s.Images() - 1}
	counts := [4]bool{true, s.Dims() > 1, s.Dims() > 2, s.Layered()}
	inside := last[0] >= 0
	for d := range i {
		switch {
		case !counts[d]:
			i[d] = 0
		case i[d] >= 0 && i[d] <= last[d]:
		case i[d] < 0 && bounds == Nearest:
			i[d] = 0
		case bounds == Nearest && d == 0:
			i[d] = last[d] / size * size
		case bounds == Nearest:
			i[d] = last[d]
		default:
			inside = false
		}
	}
	switch {
	case !inside && bounds == Trap:
		return 0, fmt.Errorf("%s of a surface of %s", s.where(at, image), s.what())
	case !inside:
		return -1, nil
	case i[0]%size != 0:
		return 0, &Misaligned{i[0], size}
	}
	return ((i[3]*s.Extent(2)+i[2])*s.Extent(1)+i[1])*s.row() + i[0], nil
}

// Misaligned is the error of an access whose byte of a row is no multiple of its size.
type Misaligned struct{ Byte, Size int }

func (m *Misaligned) Error() string {
	return fmt.Sprintf("byte %d of a row of a surface, which is no multiple of the %d bytes of the access", m.Byte, m.Size)
}

// where is the place that an access asks for.
func (s *Surface) where(at [3]int32, image uint32) string {
	text := fmt.Sprintf("byte %d of a row", at[0])
	for d, name := range []string{"row", "slice"}[:s.Dims()-1] {
		text += fmt.Sprintf(", %s %d", name, at[d+1])
	}
	if s.Layered() {
		text += fmt.Sprintf(", layer %d", image)
	}
	return text
}

// what says how large the surface is.
func (s *Surface) what() string {
	text := fmt.Sprintf("%d bytes a row", s.row())
	for d, name := range []string{"rows", "slices"}[:s.Dims()-1] {
		text += fmt.Sprintf(", %d %s", s.Extent(d+1), name)
	}
	if s.Layered() {
		text += fmt.Sprintf(", %d layers", s.Images())
	}
	return text
}
