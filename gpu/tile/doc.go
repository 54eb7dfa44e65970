// Package tile has the parts of a matrix product on the tensor cores of GPUs of 9.0: tiles of the
// factors in shared memory, a [Ring] of places for them, which one role of a block fills while the
// others multiply, and the order in which blocks take the tiles of the product. They are ordinary
// device functions, which kernels call and which cost nothing: the PTX is the same as written by
// hand with the functions of package gpu.
//
// A warpgroup that multiplies reads like this, with a place for each stage of 128 bytes along k:
//
//	var sum gpu.C64x256[float32]
//	turn := tile.Turn{}
//	for round := range rounds {
//		ring.AwaitFull(turn)
//		gpu.WGMMAFence()
//		tile.Multiply[tile.AlongK, tile.AlongK](&sum, places[turn.Place].a[:], places[turn.Place].b[:], round > 0)
//		gpu.WGMMACommit()
//		gpu.WGMMAWait(0)
//		ring.Release(turn)
//		turn = ring.Next(turn)
//	}
package tile
