package kernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/rand"
)

// Drawn holds the numbers that Draw draws, one of every kind.
type Drawn struct {
	Offset         uint64
	Word, Below    uint32
	Long, Below64  uint64
	Block          gpu.Uint32x4
	Float32        float32
	Below32        int32
	Float64        float64
	Floats         gpu.Float32x4
	BelowInt       int
	GenericFloat32 float32
	Order          [5]int8
	GenericFloat64 float64
}

// Draw draws every kind of number.
func Draw(r *rand.Rand) (d Drawn) {
	d.Word = r.Uint32()
	d.Long = r.Uint64()
	d.Block = r.Uint32x4()
	d.Float32 = r.Float32()
	d.Float64 = r.Float64()
	d.Floats = r.Float32x4()
	d.GenericFloat32 = rand.Float[float32](r)
	d.GenericFloat64 = rand.Float[float64](r)
	d.Below = r.Uint32N(3 << 30)
	d.Below32 = r.Int32N(7)
	d.Below64 = r.Uint64N(3 << 62)
	d.BelowInt = r.IntN(3 << 40)
	for i := range d.Order {
		d.Order[i] = int8(i)
	}
	r.Shuffle(len(d.Order), func(i, j int) { d.Order[i], d.Order[j] = d.Order[j], d.Order[i] })
	d.Offset = r.Offset()
	return d
}

// Draws draws for each element from a separate stream, after as many words as its index.
//
//gpu:kernel
func Draws(seed uint64, drawn []Drawn) {
	for i := range gpu.GridStride(len(drawn)) {
		r := rand.New(seed, uint64(i))
		r.Skip(uint64(i))
		drawn[i] = Draw(&r)
	}
}

// Varied holds the numbers that Vary draws: one of each distribution that is not uniform.
type Varied struct {
	Norms                   gpu.Float32x4
	Norm64, Exp64           float64
	Norm32, Exp32           float32
	GenericNorm, GenericExp float64
}

// Vary draws from every distribution that is not uniform.
func Vary(r *rand.Rand) (v Varied) {
	v.Norm32, v.Exp32 = r.NormFloat32(), r.ExpFloat32()
	v.Norm64, v.Exp64 = r.NormFloat64(), r.ExpFloat64()
	v.Norms = r.NormFloat32x4()
	v.GenericNorm = float64(rand.NormFloat[float32](r)) + rand.NormFloat[float64](r)
	v.GenericExp = float64(rand.ExpFloat[float32](r)) + rand.ExpFloat[float64](r)
	return v
}

// Varies draws for each element from a separate stream.
//
//gpu:kernel
func Varies(seed uint64, varied []Varied) {
	for i := range gpu.GridStride(len(varied)) {
		r := rand.New(seed, uint64(i))
		varied[i] = Vary(&r)
	}
}
