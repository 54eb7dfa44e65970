// Package counts launches the variants of examples/ladder/dot, examples/ladder/matmul and
// examples/ladder/tensor on a simulated device and counts what they do, for the tables and pictures
// of the tutorial.
package counts

import (
	"context"
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/dot"
	"github.com/gridstride/gridstride/examples/ladder/matmul"
	"github.com/gridstride/gridstride/examples/ladder/tensor"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/device/option"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// Variant is a variant and what one use of it does.
type Variant struct {
	Name string
	counters.Counts
}

// Ladder counts every variant of the dot product of n float32, except the one of a single thread,
// with at most grid blocks. 0 is dot's choice.
func Ladder(n, grid int) ([]Variant, error) {
	var list []Variant
	for _, v := range dot.Variants[float32]() {
		if v.MaxBlock == 1 {
			continue
		}
		c, err := count(func(dev *gridstride.Device, s *gridstride.Stream) error {
			plan, err := dot.NewPlan(dev, v, n, dot.Options{Grid: grid})
			if err != nil {
				return err
			}
			x, err := gridstride.CopyOf(dev, make([]float32, n))
			if err != nil {
				return err
			}
			return errors.Join(plan.Launch(s, x, x), x.Free(), plan.Free())
		})
		if err != nil {
			return nil, err
		}
		list = append(list, Variant{v.Name, c})
	}
	return list, nil
}

// Products counts every variant of the product of two matrices of n by n float32.
func Products(n int) ([]Variant, error) {
	var list []Variant
	for _, v := range matmul.Variants[float32]() {
		c, err := count(func(dev *gridstride.Device, s *gridstride.Stream) error {
			plan, err := matmul.NewPlan(dev, v)
			if err != nil {
				return err
			}
			data, err := gridstride.CopyOf(dev, make([]float32, n*n))
			if err != nil {
				return err
			}
			product, err := gridstride.Make[float32](dev, n*n)
			if err != nil {
				return err
			}
			m := matmul.Matrix[float32]{Rows: n, Cols: n, Data: data}
			err = plan.Launch(s, m, m, matmul.Matrix[float32]{Rows: n, Cols: n, Data: product})
			return errors.Join(err, data.Free(), product.Free())
		})
		if err != nil {
			return nil, err
		}
		list = append(list, Variant{v.Name, c})
	}
	return list, nil
}

// Tensor counts every variant of the product on tensor cores of two matrices of rows by n numbers.
func Tensor(rows, n int) ([]Variant, error) {
	var list []Variant
	for _, v := range tensor.Variants() {
		c, err := count(func(dev *gridstride.Device, s *gridstride.Stream) error {
			plan, err := tensor.NewPlan(dev, v)
			if err != nil {
				return err
			}
			data, err := gridstride.CopyOf(dev, make([]gpu.BFloat16, rows*n))
			if err != nil {
				return err
			}
			product, err := gridstride.Make[float32](dev, rows*rows)
			if err != nil {
				return err
			}
			m := tensor.Matrix[gpu.BFloat16]{Rows: rows, Cols: n, Data: data}
			err = plan.Launch(s, m, m, tensor.Matrix[float32]{Rows: rows, Cols: rows, Data: product})
			return errors.Join(err, data.Free(), product.Free())
		})
		if err != nil {
			return nil, err
		}
		list = append(list, Variant{v.Name, c})
	}
	return list, nil
}

// count calls f with a simulated device that counts, and a stream, and returns what the launches
// did.
func count(f func(dev *gridstride.Device, s *gridstride.Stream) error) (total counters.Counts, err error) {
	cfg := &checked.Config{
		Options: check.Options{Tools: []report.Tool{report.Memcheck}, Orders: 1, Profile: true},
		Report: func(r *report.Report) error {
			for _, p := range r.Profiles {
				total.Add(&p.Total)
			}
			return nil
		},
	}
	dev, err := gridstride.Open(gridstride.Use("sim"), option.Checks(cfg))
	if err != nil {
		return total, err
	}
	s := dev.Stream()
	err = f(dev, s)
	if err == nil {
		err = s.Wait(context.Background())
	}
	return total, errors.Join(err, dev.Close())
}
