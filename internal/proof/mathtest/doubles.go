package mathtest

import "github.com/gridstride/gridstride/internal/proof/mathtest/mathkernels"

// Doubles adds to sum the errors of the function for float64 at n arguments from first on, by
// package twofold. The arguments are mathkernels.Spread's in a box. mathkernels.Doubles does the
// same in a kernel. Arguments without a value of twofold do not count.
func (f *Function) Doubles(sum *Tally, first uint64, n int64, box Box) {
	r, s := rangeOf(box.X), rangeOf(box.Y)
	for i := first; i < first+uint64(n); i++ {
		x, y := mathkernels.Spread(i, r), mathkernels.Spread(^i, s)
		got := f.Double(x, y)
		v := f.Twofold(x, y, got)
		if v.High != v.High {
			continue
		}
		e, wrong := v.Error(got)
		sum.Points++
		if e > sum.Max {
			sum.Max, sum.At = e, [2]float64{x, y}
		}
		if e <= 0.5 {
			sum.Correct++
		}
		if wrong {
			sum.miss(x, y)
		}
	}
}

func rangeOf(i Interval) mathkernels.Range[float64] {
	return mathkernels.Range[float64]{Low: i.Low, Width: i.High - i.Low}
}

// Boxes are where the function for float64 is measured by package twofold: arguments of box j have
// numbers from j<<40 on.
func (f *Function) Boxes() []Box { return append([]Box{f.Usual}, f.Near...) }

// MeasureDoubles measures the function for float64 by package twofold at n arguments, a share of
// them in each of Boxes, on all processors.
func (f *Function) MeasureDoubles(n int64) Errors {
	sum := &Tally{}
	boxes := f.Boxes()
	for j, box := range boxes {
		sum.Add(inChunks(n/int64(len(boxes)), func() (func(i, n int64), *Tally) {
			t := &Tally{}
			return func(i, n int64) { f.Doubles(t, uint64(j)<<40+uint64(i*chunk), n, box) }, t
		}))
	}
	return f.Errors(sum, false, false)
}
