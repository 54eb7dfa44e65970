package p

import "github.com/gridstride/gridstride/gpu"

type particle struct {
	pos  gpu.Float32x4
	mass float32
}

// Vectors are loaded and stored whole where they are aligned: in a slice of vectors and in variables, not in a slice of structs.
//
//gpu:kernel
func Vectors(a []gpu.Float32x4, p []particle) {
	tile := gpu.Shared[[8]gpu.Float32x4]()
	v := a[1]
	tile[2] = v
	p[0].pos = v
	q := p[1]
	a[0] = q.pos
}

// Shared variables: one for each call in the source, also where the function is called twice.
//
//gpu:kernel
func Shared() {
	part(1)
	part(2)
	d := gpu.DynamicShared[float64]()
	e := gpu.DynamicShared[uint8]()
	d[0] = float64(e[1])
}

func part(v int32) {
	buf := gpu.Shared[[4]int32]()
	buf[gpu.ThreadIdx.X] = v
	gpu.SyncThreads()
}

// Copy is a loop in either direction.
//
//gpu:kernel
func Copy(a, b []uint8) {
	copy(a, b)
	clear(b)
}
