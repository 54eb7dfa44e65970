package dot

import (
	"context"
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/accuracy"
)

// Float is the element types.
type Float interface{ float32 | float64 }

// maxBlocks is the largest grid a plan chooses: 64 blocks for each of the 132 multiprocessors of an
// H200. It does not depend on the device, so that a result does not.
const maxBlocks = 64 * 132

// Options are choices for a plan.
type Options struct {
	// Block is the number of threads of a block, 0 for 256 or what the variant has fixed. See
	// [Variant.CheckBlock].
	Block int
	// Grid is the largest number of blocks, 0 for 8448; shorter vectors take fewer.
	Grid int
}

// Plan is a variant made ready on a device: its kernel is loaded and its working memory allocated,
// so that a product allocates nothing on the device. One goroutine may use it at a time, and one
// stream; plans of one device are independent.
type Plan[T Float] struct {
	variant Variant[T]
	n       int
	block   int
	grid    int
	launch  launcher[T]
	work    work[T]
	left    int // how many numbers the last product left in work.out
	host    []T
}

// work is the memory that a plan owns. Variants use of it what they need.
type work[T Float] struct {
	out     gridstride.Buffer[T] // what the kernel leaves: a number, one a block, or one an element
	partial gridstride.Buffer[T] // sums between two kernels or inside one, one a block
	ticket  gridstride.Buffer[uint32]
}

func (w *work[T]) free() error {
	return errors.Join(w.out.Free(), w.partial.Free(), w.ticket.Free())
}

// NewPlan makes a variant ready for vectors of up to n elements. Free gives the memory back.
//
// Errors: for a negative n and a block or grid that the variant or the device does not allow, and
// those of [gridstride.Make] and [gridstride.Device.Load].
func NewPlan[T Float](dev *gridstride.Device, v Variant[T], n int, opts Options) (*Plan[T], error) {
	p := &Plan[T]{variant: v, n: n, block: opts.Block, grid: opts.Grid}
	if v.prepare == nil {
		return nil, errors.New("dot: the zero Variant is none: take one of Variants, or Best")
	}
	if p.block == 0 {
		p.block = min(v.MaxBlock, 256)
	}
	if p.grid == 0 {
		p.grid = maxBlocks
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
	p.grid = p.blocks(n)
	var err error
	if p.launch, err = v.prepare(dev); err != nil {
		return nil, err
	}
	if err := p.allocate(dev); err != nil {
		return nil, errors.Join(err, p.work.free())
	}
	return p, nil
}

// allocate makes the working memory.
func (p *Plan[T]) allocate(dev *gridstride.Device) (err error) {
	size := p.variant.leaves(p.n, p.grid)
	if p.work.out, err = gridstride.Make[T](dev, size); err != nil {
		return err
	}
	if p.variant.OnDevice {
		if p.work.partial, err = gridstride.Make[T](dev, p.grid); err != nil {
			return err
		}
		if p.work.ticket, err = gridstride.CopyOf(dev, []uint32{0}); err != nil {
			return err
		}
	}
	return nil
}

// blocks is the number of blocks for vectors of n elements, fewer than the plan has if there is
// nothing for them to do.
func (p *Plan[T]) blocks(n int) int {
	if p.variant.MaxBlock == 1 {
		return 1
	}
	each := p.block * p.variant.perThread
	if n <= p.variant.alone*each {
		return 1
	}
	return min(max(n-1, 0)/each+1, p.grid)
}

// Launch queues the product of a and b on s and returns before it has run; [Plan.Result] waits for
// it. The next Launch of the plan overwrites what it leaves.
//
// Errors, all before anything is queued: vectors of different lengths or longer than the plan's,
// and those of [gridstride.Kernel.Launch], [gridstride.ErrFreed] and [gridstride.ErrWrongDevice]
// among them.
func (p *Plan[T]) Launch(s *gridstride.Stream, a, b gridstride.Buffer[T]) error {
	n := a.Len()
	switch {
	case b.Len() != n:
		return fmt.Errorf("dot: a has %d elements and b %d: a dot product takes vectors of one length", n, b.Len())
	case n > p.n:
		return fmt.Errorf("dot: %d elements, and the plan is for %d at most", n, p.n)
	}
	blocks := p.blocks(n)
	w := p.work
	left := p.variant.leaves(n, blocks)
	w.out = w.out.Slice(0, left)
	if p.variant.OnDevice {
		w.partial = w.partial.Slice(0, blocks)
	}
	if err := p.launch(s, gridstride.Grid(blocks).Block(p.block), a, b, w); err != nil {
		return err
	}
	p.left = left
	return nil
}

// Result waits for the last product that was launched, on the same stream s, and adds up what the
// kernel left: in float64, with compensation, so that this step adds no more than one rounding.
// Before the first Launch it is 0.
//
// Errors: those of [gridstride.Buffer.Read].
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

// Left is what the last launched kernel leaves on the device: the result itself, if the variant is
// one that finishes there, else the numbers that Result adds up. It belongs to the plan.
func (p *Plan[T]) Left() gridstride.Buffer[T] { return p.work.out.Slice(0, p.left) }

// Free gives the working memory back. What is queued still runs.
func (p *Plan[T]) Free() error { return p.work.free() }

// Dot is the dot product of a and b by [Best]. It waits. It makes a plan for this one product,
// which costs more than a short product itself: keep a [Plan] for many.
//
// Errors: those of [NewPlan] and [Plan.Dot].
func Dot[T Float](ctx context.Context, s *gridstride.Stream, a, b gridstride.Buffer[T]) (float64, error) {
	p, err := NewPlan(s.Device(), Best[T](), a.Len(), Options{})
	if err != nil {
		return 0, err
	}
	dot, err := p.Dot(ctx, s, a, b)
	return dot, errors.Join(err, p.Free())
}
