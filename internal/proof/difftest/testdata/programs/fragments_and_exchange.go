// Fragments of several formats and an exchange. NVIDIA's assembler takes a register of a fragment
// that is a constant for a float32: the compiler must keep one whose highest half is negative from
// it.
//
//difftest:launch grid=2 block=32 in0=64 out0=192 out1=512 out2=512 chk=64 seed=2001346
package kernels

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

const _ = math.Pi + bits.UintSize

var _ = cmp.Less[int]

type m1ø [3]uint32

type s2ø struct {
	a3 float32
	b4 bool
	c5 int16
	d6 float64
}

var t7ø = [1]gpu.BFloat16x2{gpu.BFloat16x2{X: gpu.BFloat16FromBits(2048)}}

var t8ø = [4]uint16{65534, 12, 12, 13750}

func f9ø(p0 uint64, p1 *int32) (res0 gpu.Float16x2) {
	if t7ø[0].Y.FMA(t7ø[0].Y.Div(t7ø[0].X), t7ø[0].Y.Add(t7ø[(int8(p0)&0)].X)).Less(t7ø[(int32(int64(p0)) & 0)].X) {
		switch v10 := ((p0 & 1024) & 7); v10 {
		case 1:
			v11 := max(int16(p0), int16(b2iø((p0 != 4))), 32767)
			var v12 uint16
			v13 := int(bits.RotateLeft32(uint32(v11), int(p0)))
			if uint8(v13+1) < uint8(len(t8ø)) {
				v12 += t8ø[v13]
			} else if v13+1 < len(t8ø) {
				v12 += t8ø[v13+1]
			}
			v14 := ((v11 != 6) || (v11 != 32767))
			_ = v14
		case 6:
			s15 := make([]int8, 1, 2)
			var v16 bool = true
			(*p1) = int32(t7ø[0].Lane(int(1)).Bits())
			_ = s15
			_ = v16
			fallthrough
		default:
			fallthrough
		case 5, 4:
		}
	}
	return res0
}

func f17ø(p0 uint32, p1 int64, p2 int64, p3 uint64) (res0 int8) {
	v18 := uint32(t7ø[0].X.Bits())
	_ = v18
	return min((res0 + (-128)), int8(t7ø[0].Y.Bits()))
}

func (r *s2ø) f19(p0 float32, p1 *float64, p2 int32, fn0 func(int) int32) (uint8, float64, float32) {
	if !r.b4 {
		var v20 s2ø
		(*r).b4 = (r.b4 || v20.b4)
		v21 := (t8ø[(r.c5&3)] / (t8ø[((-uint64(p2))&3)] | 1))
		r.b4 = true
		_ = v21
	} else if gpu.IsInf(float32(p0*p0), (int(fitø(p0, -9223372036854775808, 9223371487098961920)) & int(p2))) {
		{
			v23 := (m1ø{(11 + uint32(p2)), uint32(r.c5), 2147483647})
			var v24 int16
			_ = v23
			_ = v24
		}
		if t7ø[(t8ø[(uint16(int64(p2))&3)] & 7)].Y.Equal(t7ø[(int8(fitø(r.a3, -128, 127)) & 0)].X) {
			goto L22
		}
		{
		}
	L22:
		{
		}
	}
	return uint8(gpu.FromFloat64[gpu.Float16](gpu.ToFloat64((*p1))).Bits()), float64(((*p1) + (*p1))), float32(gpu.ToFloat64(t7ø[(uint32(uint64(p2)) & 0)].X.Sqrt()))
}

//gpu:kernel target=sm_90
func Kø(in0 []uint, a0 gpu.BFloat16, out0 []gpu.Uint64x2, out1 []m1ø, out2 []gpu.Uint64x2, chk []uint64) {
	lid := gpu.ThreadIdx.X
	tid := gpu.BlockIdx.X*gpu.BlockDim.X + lid
	v25 := gpu.MMA16x8x32(gpu.A16x32[int8]{0: 1, 1: (int8(lid) + int8(lid)), 2: int8(t7ø[(int32(lid) & 0)].X.Bits()), 3: int8(lid), 4: int8(lid), 5: max(int8(lid), int8(lid)), 6: (int8(lid) ^ int8(tid)), 7: int8(bits.Reverse32(out1[tid*8+int(((out1[tid*8+int((uint8(tid)&7))][2]+out1[tid*8+int(0)][(uint8(lid)%3)])&7))][1])), 8: max(int8(lid), (-8)), 9: (int8(lid) >> 16), 10: (int8(lid) + int8(tid)), 11: (int8(lid) * int8(tid)), 12: int8(fitø(float64(tid), -128, 127)), 13: 13, 14: (-2), 15: (int8(lid) + int8(lid))}, gpu.B32x8[int8]{0: (int8(tid) * int8(tid)), 1: 5, 3: int8(tid), 4: int8(lid), 5: int8(lid), 6: int8(int8(lid)), 7: (int8(tid) - int8(tid))}, gpu.C16x8[int32]{0: (-6), 2: 13, 3: (int32(lid) / (int32(lid) | 1))})
	v26 := gpu.MMA16x8x4F64(gpu.A16x4[float64]{0: float64(lid), 1: float64(a0.Float32())}, gpu.B4x8[float64]{0: float64(t7ø[(chk[tid+int(((out0[tid*3+int(2)].Y*out0[tid*3+int((out1[tid*8+int(3)][2]%3))].Y)&0))] & 0)].Y.Float32())}, gpu.C16x8[float64]{2: 1e-40, 3: (float64(lid) + float64(lid))})
	s27 := "\xff\xe4\xb8\xc0\x80z"
	if (tid != 9) && (tid != 3) {
		s27 = "añ世\U0001F600"
	}
	v28 := s27 < "b"
	v29 := f17ø((out1[tid*8+int((in0[tid]&7))][((uint16(1)>>(v25[(tid&3)]&7))%3)] | out1[tid*8+int((int64(tid)&7))][((uint8(tid)-15)%3)]), int64(t7ø[0].Y.Compare(t7ø[(int32(a0.Compare(a0))&0)].Y)), int64(bits.Len(in0[tid])), uint64(fitø(v26[3], -0.5, 18446744073709549568)))
	gpu.SyncBarrier(4, 32)
	if gpu.BFloat16FromBits(uint16(v25[(in0[tid] & 3)])).LessEqual(a0) {
		out1[tid*8+int((t8ø[(uint64(b2iø(v28))&3)]&7))], a0 = out1[tid*8+int((out1[tid*8+int(3)][(uint32(bits.OnesCount32(out1[tid*8+int(((uint8(tid)&uint8(v29))&7))][2]))%3)]&7))], t7ø[(int64(v29)&0)].Sum()
	}
	s30 := make([]int64, 4, 5)
	s30[0] = (-8192)
	ptr31 := new(int64)
	v32 := gpu.WarpID()
	v33 := gpu.MMA16x8x8(gpu.A16x8[gpu.BFloat16]{0: gpu.BFloat16FromBits((t8ø[(v25[(out1[tid*8+int((int8(chk[tid+int((uint8(v29)&0))])&7))][2]&3)]&3)]|t8ø[((uint8(v29)*uint8(tid))&3)])&0x81e0 ^ 0x3f80), 1: gpu.BFloat16FromBits(uint16(a0.Compare(t7ø[(uint64(bits32ø(float32(tid)))&0)].X))&0x81e0 ^ 0x3f80), 3: gpu.BFloat16FromBits(uint16(v25[2])&0x81e0 ^ 0x3f80)}, gpu.B8x8[gpu.BFloat16]{0: gpu.BFloat16FromBits(t8ø[0]&0x81e0 ^ 0x3f80), 1: gpu.BFloat16FromBits((t8ø[(out1[tid*8+int((v32&7))][1]&3)]&^t8ø[(in0[lid]&3)])&0x81e0 ^ 0x3f80)}, gpu.C16x8[float32]{0: float32(int8(v29)), 1: float32(v29), 2: float32(max(v29, v29))})
	v34 := gpu.MMA16x8x16F64(gpu.A16x16[float64]{0: (v26[((chk[tid+int(((*ptr31)&0))]*chk[tid+int((tid&0))])&3)] / v26[((out1[tid*8+int(7)][(uint8(tid)%3)]&^out1[tid*8+int((out0[tid*3+int(1)].X&7))][0])&3)]), 1: float64(gpu.Float16Of(v29).Float32()), 2: real(complex(v26[((out2[tid*8+int((chk[tid+int(0)]&7))].X-out2[tid*8+int((v32&7))].Y)&3)], v26[1])), 3: float64(t7ø[(int32(bits.OnesCount(in0[tid])) & 0)].Y.Float32()), 4: float64(gpu.Float16Of(tid).Float32()), 7: v26[2]}, gpu.B16x8[float64]{0: gpu.ToFloat64(a0), 1: (v26[0] - v26[3]), 2: 2.2250738585072014e-308, 3: 8.125}, gpu.C16x8[float64]{0: 1, 1: float64(b2iø(v28)), 2: 5e-324, 3: float64(t8ø[(t8ø[3] & 3)])})
	t35 := [16]uint64{9223372036854775807, 9223372036854775808, 18446744073709551614, 8796093022208, 9223372036854775808, 18446744073709551613, 5, 18446744073709551615, 15105504434362837424, 9223372036854775809, 576460752303423488, 14, 0, 18446744073709551614, 16, 801309643525056169}
	v36 := t35[15]
	v37 := gpu.AtomicExch(&out2[tid*8+int(5)].Y, (+out2[tid*8+int(2)].Y))
	v38 := warpSumø((uint64(bits.OnesCount8(uint8(lid))) % (max(v36, v37, chk[tid+int((uint8(fitø(v26[2], -0.5, 255))&0))]) | 1)))
	v39 := gpu.MMA16x8x8(gpu.A16x8[gpu.BFloat16]{0: gpu.BFloat16FromBits((t8ø[((*ptr31)&3)]%(t8ø[(uint8(tid)&3)]|1))&0x81e0 ^ 0x3f80), 1: gpu.BFloat16FromBits((^t8ø[2])&0x81e0 ^ 0x3f80), 2: gpu.BFloat16FromBits((t8ø[(in0[uint((v29/14))%uint(len(in0))]&3)]%7)&0x81e0 ^ 0x3f80), 3: gpu.BFloat16FromBits(t8ø[(v29&3)]&0x81e0 ^ 0x3f80)}, gpu.B8x8[gpu.BFloat16]{0: gpu.BFloat16FromBits(max(11, t8ø[0])&0x81e0 ^ 0x3f80), 1: gpu.BFloat16FromBits(max(9, t8ø[(v29&3)])&0x81e0 ^ 0x3f80)}, gpu.C16x8[float32]{0: float32((v29 ^ v29)), 1: float32((v29 * v29)), 2: float32((v29 + v29)), 3: float32(v29)})
	clear(out0[tid*3 : tid*3+1])
	v40 := (14 * (uint8(uint8(v29)) & 12))
	for i42, n43 := uint64(0), (uint64(in0[(v32&63)]) & 3); i42 < n43; i42++ {
		switch (36028797018963968 % (tid | 1)) & 7 {
		default:
			out1[tid*8+int(1)] = out1[tid*8+int(i42)]
			_ = ((t8ø[i42] % 7) * (t8ø[1] + t8ø[0]))
		case 0:
			switch v44 := (uint8(cap(out1)) & 1); v44 {
			case 0:
				s45 := v34[1:3]
				v46 := f17ø((out1[tid*8+int(i42)][0] & out1[tid*8+int(5)][0]), ((*ptr31) + (*ptr31)), int64(v40), uint64(bits.Rem(in0[i42], in0[22], (in0[58]|1))))
				_ = s45
				_ = v46
				fallthrough
			case 5:
				v32 -= v32
			}
		case 6:
		}
	}
	out0[tid*3+2] = out0[tid*3+int((uint64(out1[tid*8+int(2)][(uint(v25[(v40&3)])%3)])%3))]
	out1[tid*8+1] = out1[tid*8+int(3)]
	out1[tid*8+2] = (m1ø{2147483649, out1[tid*8+int(4)][((v40 + v40) % 3)], 2147483649})
	out1[tid*8+4] = out1[tid*8+int((int32(v29)&7))]
	out1[tid*8+5] = out1[tid*8+int(4)]
	out1[tid*8+6] = out1[tid*8+int((uint64(len(out0))&7))]
	out1[tid*8+7] = (m1ø{9, out1[tid*8+int(7)][1], out1[tid*8+int(1)][(v38 % 3)]})
	out2[tid*8+0] = out2[tid*8+int(((out2[tid*8+int(1)].X+4)&7))]
	out2[tid*8+2] = out2[tid*8+int((in0[uint(int8(bits.LeadingZeros(in0[lid])))%uint(len(in0))]&7))]
	out2[tid*8+3] = (gpu.Uint64x2{X: out0[tid*3+int(0)].Y, Y: 0})
	out2[tid*8+5] = out2[tid*8+int((chk[tid+int((out1[tid*8+int(3)][(in0[42]%3)]&0))]&7))]
	out2[tid*8+6] = (gpu.Uint64x2{v37, v37})
	h47 := uint64(1)
	h47 = h47*31 + uint64(lid)
	h47 = h47*31 + uint64(tid)
	for i48 := range v25 {
		h47 = h47*31 + uint64(v25[i48])
	}
	for i49 := range v26 {
		h47 = h47*31 + bits64ø(v26[i49])
	}
	h47 = h47*31 + uint64(b2iø(v28))
	h47 = h47*31 + uint64(v29)
	h47 = h47*31 + uint64(v32)
	for i50 := range v33 {
		h47 = h47*31 + uint64(bits32ø(v33[i50]))
	}
	for i51 := range v34 {
		h47 = h47*31 + bits64ø(v34[i51])
	}
	for i52 := range t35 {
		h47 = h47*31 + uint64(t35[i52])
	}
	h47 = h47*31 + uint64(v36)
	h47 = h47*31 + uint64(v37)
	h47 = h47*31 + uint64(v38)
	for i53 := range v39 {
		h47 = h47*31 + uint64(bits32ø(v39[i53]))
	}
	h47 = h47*31 + uint64(v40)
	chk[tid] = h47
}

func b2iø(b bool) int {
	if b {
		return 1
	}
	return 0
}

func fitø[T float32 | float64](x, lo, hi T) T {
	if x >= lo && x <= hi {
		return x
	}
	return 0
}

func bits32ø(x float32) uint32 {
	if x != x {
		return 1
	}
	return math.Float32bits(x)
}

func bits64ø(x float64) uint64 {
	if x != x {
		return 1
	}
	return math.Float64bits(x)
}

func warpSumø[T gpu.Word](x T) T {
	for d := gpu.WarpSize / 2; d > 0; d /= 2 {
		x += gpu.ShflDownSync(gpu.FullMask, x, d)
	}
	return x
}
