package lanes

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// TestShortAtomics holds atomics on f16 and bf16 to the checksum of what an H100 leaves, for red on
// vectors and cp.reduce.async.bulk alike: of every pair of some values, small ones, infinities and
// NaN among them.
func TestShortAtomics(t *testing.T) {
	t.Parallel()
	values := []uint32{
		0x0001, 0x8001, 0x0400, 0x7e00, 0xfe00, 0x7c00, 0xfc00, 0x3c00, 0xbc00, 0x0000, 0x8000, 0x7f80, 0xff80, 0x7fc0,
		0xffc1, 0x0080,
	}
	for _, c := range []struct {
		op   code.Function
		t    ptx.Type
		want uint32
	}{
		{code.FnAdd, ptx.F16, 0x5153eacc},
		{code.FnMin, ptx.F16, 0xe95afcf3},
		{code.FnMax, ptx.F16, 0x3d838981},
		{code.FnAdd, ptx.BF16, 0x405c0bfa},
		{code.FnMin, ptx.BF16, 0xed2279bc},
		{code.FnMax, ptx.BF16, 0x11adc152},
	} {
		m := ModifyBy(&code.Inst{Op: ptx.OpRed, Type: c.t, Attributes: code.Attributes{Fn: c.op}})
		var left []byte
		for _, old := range values {
			for _, b := range values {
				left = binary.LittleEndian.AppendUint16(left, uint16(m.Narrow(old, b, 0)))
			}
		}
		if got := crc32.ChecksumIEEE(left); got != c.want {
			t.Errorf("%s.%s has the checksum %#08x, an H100's %#08x", c.op, c.t, got, c.want)
		}
	}
}
