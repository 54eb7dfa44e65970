package dot

import (
	"context"
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/dot/fast"
	"github.com/gridstride/gridstride/internal/proof/accuracy"
)

// Float is the element types.
type Float interface{ fast.Float }

// Options are choices for a plan.
type Options struct {
	// Block is the number of threads of a block, 0 for 256 or what the variant has fixed. See
	// [Variant.CheckBlock].
	Block int
	// Grid is the largest number of blocks, 0 for 8448, which does not depend on the device, so
	// that a result does not. Shorter vectors take fewer.
	Grid int
}

// Plan is a variant made ready on a device: its kernel is loaded and its working memory allocated,
// so that a product allocates nothing on the device. One goroutine may use it at a time, and one
// stream. Plans of one device are independent.
type Plan[T Float] struct {
	variant Variant[T]
	n       int
	block   int
	grid    int
	rung    rung[T]
	out     gridstride.Buffer[T] // the kernels' output: a number, one a block, or one an element
	left    int                  // how many numbers the last product left in out
	host    []T
}

// NewPlan makes a variant ready for vectors of up to n elements. Free gives the memory back.
//
// Errors: for a negative n and a block or grid that the variant or the device does not allow, and
// [gridstride.Make]'s and [gridstride.Device.Load]'s.
func NewPlan[T Float](dev *gridstride.Device, v Variant[T], n int, opts Options) (*Plan[T], error) {
	p := &Plan[T]{variant: v, n: n, block: opts.Block, grid: opts.Grid}
	if v.prepare == nil {
		return nil, errors.New("dot: the zero Variant is none: take one of Variants, or Best")
	}
	if p.block == 0 {
		p.block = min(v.MaxBlock, 256)
	}
	if p.grid == 0 {
		p.grid = fast.MaxBlocks
	}
	if err := v.CheckBlock(p.block); err != nil {
		return nil, err
	}
	switch most := dev.Info().MaxGrid.X; {
	case n < 0:
		return nil, fmt.Errorf("dot: %d elements: a vector has no negative length", n)
	case p.grid < 1 || p.grid > most:
		return nil, fmt.Errorf("dot: a grid of %d blocks: want 1 to %d", p.grid, most)
	}
	p.grid = v.grid(n, p.block, p.grid)
	var err error
	if p.rung, err = v.prepare(dev, p.grid); err != nil {
		return nil, err
	}
	if p.out, err = gridstride.Make[T](dev, v.leaves(n, p.grid)); err != nil {
		return nil, errors.Join(err, p.rung.free())
	}
	return p, nil
}

// Launch queues the product of a and b on s and returns before it has run. [Plan.Result] waits for
// it. The next Launch of the plan overwrites what it leaves.
//
// Errors, all before anything is queued: vectors of different lengths or longer than the plan's,
// and [gridstride.Kernel.Launch]'s, such as [gridstride.ErrFreed] and
// [gridstride.ErrWrongDevice].
func (p *Plan[T]) Launch(s *gridstride.Stream, a, b gridstride.Buffer[T]) error {
	if err := fast.Check(a, b); err != nil {
		return err
	}
	n := a.Len()
	if n > p.n {
		return fmt.Errorf("dot: %d elements, and the plan is for %d at most", n, p.n)
	}
	blocks := p.variant.grid(n, p.block, p.grid)
	left := p.variant.leaves(n, blocks)
	if err := p.rung.launch(s, gridstride.Grid(blocks).Block(p.block), a, b, p.out.Slice(0, left)); err != nil {
		return err
	}
	p.left = left
	return nil
}

// Result waits for the last product that was launched, on the same stream s, and adds up what the
// kernel left: in float64, with compensation, so that this step adds no more than one rounding.
// Before the first Launch it is 0.
//
// Errors: [gridstride.Buffer.Read]'s.
func (p *Plan[T]) Result(ctx context.Context, s *gridstride.Stream) (float64, error) {
	var err error
	if p.host, err = p.Left().Read(ctx, s, p.host); err != nil {
		return 0, err
	}
	var sum accuracy.Sum
	for _, x := range p.host {
		sum.Add(float64(x))
	}
	return sum.Value(), nil
}

// Dot is the dot product of a and b: Launch, then Result.
func (p *Plan[T]) Dot(ctx context.Context, s *gridstride.Stream, a, b gridstride.Buffer[T]) (float64, error) {
	if err := p.Launch(s, a, b); err != nil {
		return 0, err
	}
	return p.Result(ctx, s)
}

// Left is the last launched kernel's output on the device: the result itself, if the variant
// finishes there, else the numbers that Result adds up. It belongs to the plan.
func (p *Plan[T]) Left() gridstride.Buffer[T] { return p.out.Slice(0, p.left) }

// Free gives the working memory back. What is queued still runs.
func (p *Plan[T]) Free() error { return errors.Join(p.out.Free(), p.rung.free()) }

// Dot is the dot product of a and b by [Best]. It waits. It makes a plan for this one product,
// which costs more than a short product itself: keep a [Plan] for many.
//
// Errors: [NewPlan]'s and [Plan.Dot]'s.
func Dot[T Float](ctx context.Context, s *gridstride.Stream, a, b gridstride.Buffer[T]) (float64, error) {
	p, err := NewPlan(s.Device(), Best[T](), a.Len(), Options{})
	if err != nil {
		return 0, err
	}
	dot, err := p.Dot(ctx, s, a, b)
	return dot, errors.Join(err, p.Free())
}
