package p

import "github.com/gridstride/gridstride/gpu"

type config struct {
	scale float32
	on    bool
	pos   [2]struct{ x, y int16 }
	vec   gpu.Float32x4
}

//gpu:kernel block=128 minblocks=4
func Params(a []gpu.Float32x4, c config, n int32, u uint8, ok bool, f float64, table [4]int8) {
	if ok && c.on {
		a[n] = c.vec
		a[0].X = c.scale + float32(c.pos[1].y) + float32(f) + float32(table[u])
	}
}
