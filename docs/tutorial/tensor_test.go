package tutorial

import (
	"fmt"

	"github.com/gridstride/gridstride/docs/tutorial/counts"
)

// tensorTimes is where the speed of products on tensor cores is from.
const tensorTimes = "2026-11-23-h200-bench-tensor.json"

// tensorTable sets the counts of products on tensor cores next to their speed at two sizes, and the
// speed of package gpublas and cuBLAS. The counts are the differences to a product twice as deep:
// so they do not include the begin and end of a tile.
func tensorTable() (string, error) {
	const rows, n = 256, 256
	once, err := counts.Tensor(rows, n)
	if err != nil {
		return "", err
	}
	twice, err := counts.Tensor(rows, 2*n)
	if err != nil {
		return "", err
	}
	var t table
	t.row("", "instructions", "products", "bytes of memory", "passes", "waits", "KiB in flight", "4096", "8192")
	for i, v := range once {
		speed, err := tensorSpeed(v.Name)
		if err != nil {
			return "", err
		}
		w := twice[i]
		each := func(format string, more uint64) string { // of one mma
			return fmt.Sprintf(format, float64(more)/(rows*rows*n/(16*8*16)))
		}
		flight := float64(w.FlightBytes-v.FlightBytes) / float64(w.ChainInstructions-v.ChainInstructions)
		t.row("`"+v.Name+"`", each("%.2f", w.Instructions-v.Instructions), each("%.3f", w.TensorInstructions-v.TensorInstructions),
			each("%.0f", 32*(w.GlobalSectors-v.GlobalSectors)), each("%.2f", w.SharedPasses-v.SharedPasses),
			each("%.3f", w.CopyWaits-v.CopyWaits+w.BarrierWaits-v.BarrierWaits), fmt.Sprintf("%.0f", flight/1024), speed[0], speed[1])
	}
	for _, other := range []struct{ variant, name string }{{"gpublas", "`gpublas.Product`"}, {"cublas", "cuBLAS `GemmEx`"}} {
		speed, err := tensorSpeed(other.variant)
		if err != nil {
			return "", err
		}
		t.row(other.name, "", "", "", "", "", "", speed[0], speed[1])
	}
	return t.source("counts: for 16·8·16 multiply-adds, on the simulator; in flight: to a block, on average; 4096 and 8192: "+
		"TFLOP/s of square matrices on an H200", tensorTimes), nil
}

// tensorSpeed is the speed of a variant at both sizes, in TFLOP/s.
func tensorSpeed(variant string) (speed [2]string, err error) {
	for i, n := range []int{4096, 8192} {
		row, err := bench(tensorTimes, variant, n)
		if err != nil {
			return speed, err
		}
		speed[i] = fmt.Sprintf("%.0f", row.Rate/1000)
	}
	return speed, nil
}
