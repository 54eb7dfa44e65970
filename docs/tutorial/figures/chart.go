package main

import (
	"github.com/gridstride/gridstride/docs/tutorial/counts"
	"github.com/gridstride/gridstride/internal/tools/figure"
)

// ladder charts what each rung of the ladder does for 256 elements, one a thread where the variant
// has no larger steps.
func ladder(*repository) (picture, error) {
	const n, block = 1 << 15, 256
	list, err := counts.Ladder(n, 0)
	if err != nil {
		return nil, err
	}
	bars := func(title string, value func(counts.Variant) float64) figure.Bars {
		b := figure.Bars{Title: title}
		for _, v := range list {
			b.Bars = append(b.Bars, figure.Bar{Name: v.Name, Value: value(v)})
		}
		return b
	}
	return figure.Picture{
		Title: "The ladder, counted", Subtitle: "for 256 elements of a vector of 16384, counted on the simulator",
		Columns: 2,
		Charts: []figure.Chart{
			bars("instructions", func(v counts.Variant) float64 { return float64(v.Instructions) / (n / block) }),
			bars("active lanes", func(v counts.Variant) float64 { return v.ActiveLanes() }),
			bars("passes of shared memory",
				func(v counts.Variant) float64 { return float64(v.SharedPasses) / (n / block) }),
			bars("waits at barriers", func(v counts.Variant) float64 { return float64(v.BarrierWaits) / (n / block) }),
		},
	}, nil
}
