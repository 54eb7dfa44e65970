package segment

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/internal/math/half"
)

// Storage is the format of the elements of vectors.
type Storage uint32

const (
	Float32 Storage = iota
	Float16         // IEEE 754's binary16, rounded to nearest
	Int8            // -127..127, with a factor for each vector
)

// bytes returns how many an element takes.
func (s Storage) bytes() int { return []int{4, 2, 1}[s] }

// vectors are the vectors of some of the documents, one after the other.
type vectors struct {
	shape []uint32 // dimension and storage; empty without vectors
	ords  []uint32 // of a vector: its document
	scale []float32
	norms []float32
	data  []byte
	f32   []float32 // data, where that is float32
}

// ready makes f32 when data is whole.
func (v *vectors) ready() {
	if len(v.shape) == 2 && v.storage() == Float32 {
		v.f32, _ = arrayOf[float32](v.data)
	}
}

func (v *vectors) dimension() int   { return int(v.shape[0]) }
func (v *vectors) storage() Storage { return Storage(v.shape[1]) }

// stride returns the bytes of a vector.
func (v *vectors) stride() int { return v.dimension() * v.storage().bytes() }

// Vectors returns how many documents have a vector. Their vectors are numbered by the documents.
func (s *Segment) Vectors() int { return len(s.vectors.ords) }

// Dimension returns the dimension of the vectors. There must be one at least.
func (s *Segment) Dimension() int { return s.vectors.dimension() }

// VectorDoc returns the document of a vector.
func (s *Segment) VectorDoc(n int) int { return int(s.vectors.ords[n]) }

// VectorOf returns the number of a document's vector, and whether it has one.
func (s *Segment) VectorOf(ord int) (n int, ok bool) {
	ords := s.vectors.ords
	n = sort.Search(len(ords), func(i int) bool { return int(ords[i]) >= ord })
	return n, n < len(ords) && int(ords[n]) == ord
}

// VectorNorm returns the Euclidean norm of a vector's stored form.
func (s *Segment) VectorNorm(n int) float32 { return s.vectors.norms[n] }

// Vector returns a vector. It is the segment's memory, or scratch, which has room for one.
func (s *Segment) Vector(n int, scratch []float32) []float32 {
	v := &s.vectors
	dim := v.dimension()
	if !s.guard.whole(v.data[n*v.stride() : (n+1)*v.stride()]) {
		s.fail("vector %d has another checksum", n)
		clear(scratch[:dim])
		return scratch[:dim]
	}
	if v.storage() == Float32 {
		return v.f32[n*dim : (n+1)*dim]
	}
	scratch = scratch[:dim]
	b := v.data[n*v.stride() : (n+1)*v.stride()]
	if v.storage() == Float16 {
		for i := range scratch {
			scratch[i] = half.F16ToF32(binary.LittleEndian.Uint16(b[2*i:]))
		}
		return scratch
	}
	for i := range scratch {
		scratch[i] = float32(int8(b[i])) * v.scale[n]
	}
	return scratch
}

// Vector adds the document's vector. All vectors of a segment have one length and one storage.
func (b *Builder) Vector(x []float32, storage Storage) {
	v := &b.w.vectors
	v.shape = []uint32{uint32(len(x)), uint32(storage)}
	v.ords = append(v.ords, uint32(len(b.rowEnd)))
	kept, scale := make([]float32, len(x)), float32(1)
	switch storage {
	case Float32:
		copy(kept, x)
		v.data = append(v.data, bytesOf(x)...)
	case Float16:
		for i, e := range x {
			h := half.F16Nearest(e)
			kept[i] = half.F16ToF32(h)
			v.data = binary.LittleEndian.AppendUint16(v.data, h)
		}
	case Int8:
		if largest := blas.Iamax(x); largest >= 0 && x[largest] != 0 {
			scale = float32(math.Abs(float64(x[largest]))) / 127
		}
		for i, e := range x {
			q := int8(max(-127, min(127, math.RoundToEven(float64(e)/float64(scale)))))
			kept[i] = float32(q) * scale
			v.data = append(v.data, byte(q))
		}
	}
	v.scale = append(v.scale, scale)
	v.norms = append(v.norms, blas.Nrm2(kept))
}

// addFrom notes the vector of a document that a segment has, without its elements. It returns false
// for a vector of another shape than those that are there.
func (v *vectors) addFrom(ord int, from *Segment, fromOrd int) bool {
	n, ok := from.VectorOf(fromOrd)
	if !ok {
		return true
	}
	o := &from.vectors
	if len(v.shape) == 0 {
		v.shape = slices.Clone(o.shape) // o's may be in a file that is unmapped before v is collected
	}
	if !slices.Equal(v.shape, o.shape) {
		return false
	}
	v.ords = append(v.ords, uint32(ord))
	v.scale, v.norms = append(v.scale, o.scale[n]), append(v.norms, o.norms[n])
	return true
}

// VectorShape returns the dimension and the storage of the vectors. There is one at least.
func (s *Segment) VectorShape() (dimension int, storage Storage) {
	return s.vectors.dimension(), s.vectors.storage()
}

// MaxHalf is the largest number that Float16 keeps.
const MaxHalf = 65504
