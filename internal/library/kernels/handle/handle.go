// Package handle is the common part of the libraries' handles: a stream, working memory, and places
// for results that callers wait for.
package handle

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Places is how many calls may wait for a result at a time; others wait for a place. Width is how
// many numbers the result of a call may have.
const (
	places = 32
	Width  = 8
)

// Core is a stream with working memory. Any number of goroutines may use it.
type Core[T operand.Float] struct {
	library string
	stream  *gridstride.Stream

	mu     sync.Mutex
	closed bool

	work    onepass.Work
	free    chan int // places for results that nobody uses
	values  gridstride.Buffer[T]
	indices gridstride.Buffer[int]
}

// New allocates the working memory for a stream, less than five megabytes. library begins the
// errors.
//
// Errors: [gridstride.Make]'s.
func New[T operand.Float](library string, s *gridstride.Stream) (*Core[T], error) {
	c := &Core[T]{library: library, stream: s, free: make(chan int, places)}
	for i := range places {
		c.free <- i
	}
	var errs [3]error
	c.work, errs[0] = onepass.NewWork(s.Device())
	c.values, errs[1] = gridstride.Make[T](s.Device(), places*Width)
	c.indices, errs[2] = gridstride.Make[int](s.Device(), places)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Stream is the stream.
func (c *Core[T]) Stream() *gridstride.Stream { return c.stream }

// Close gives the memory back. What is queued still runs, and nothing more can be queued. A second
// Close does nothing.
func (c *Core[T]) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	return errors.Join(c.work.Free(), c.values.Free(), c.indices.Free())
}

// Call is the name of a method in errors.
func (c *Core[T]) Call(method string) string { return c.library + ": " + method }

// Queue runs a function that queues a call's launches, with no other call's between them.
func (c *Core[T]) Queue(method string, launch func(s *gridstride.Stream, w onepass.Work) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return operand.Errorf(gridstride.ErrClosed, "%s: the handle is closed", c.Call(method))
	}
	if err := launch(c.stream, c.work); err != nil {
		return fmt.Errorf("%s: %w", c.Call(method), err)
	}
	return nil
}

// Value waits for the number that queue has a call leave in out[0].
func (c *Core[T]) Value(ctx context.Context, queue func(out gridstride.Buffer[T]) error) (T, error) {
	v, err := c.Values(ctx, 1, queue)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// Values waits for the n numbers, Width at most, that queue has a call leave in out.
func (c *Core[T]) Values(ctx context.Context, n int, queue func(out gridstride.Buffer[T]) error) ([]T, error) {
	return wait(ctx, c, func(place int) gridstride.Buffer[T] { return c.values.Slice(place*Width, place*Width+n) }, queue)
}

// Index waits for the index that queue has a call leave in out[0]. It is -1 with an error.
func (c *Core[T]) Index(ctx context.Context, queue func(out gridstride.Buffer[int]) error) (int, error) {
	at, err := wait(ctx, c, func(place int) gridstride.Buffer[int] { return c.indices.Slice(place, place+1) }, queue)
	if err != nil {
		return -1, err
	}
	return at[0], nil
}

// wait gives queue a place for its result, and reads it. A place may be used again once nobody
// waits for its call: the stream runs the next call after it.
func wait[T operand.Float, E any](ctx context.Context, c *Core[T], at func(place int) gridstride.Buffer[E],
	queue func(out gridstride.Buffer[E]) error,
) ([]E, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case place := <-c.free:
		defer func() { c.free <- place }()
		out := at(place)
		if err := queue(out); err != nil {
			return nil, err
		}
		return out.Read(ctx, c.stream, nil)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
