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

// Places is how many calls may wait for a result at a time. Others wait for a place. Width is the
// largest number of elements of a call's result.
const (
	places = 32
	Width  = 8
)

// placeBytes is the size of a place. Its elements have at most 8 bytes.
const placeBytes = 8 * Width

// Result are the types of elements of results.
type Result interface{ operand.Float | int }

// Core is a stream with working memory. Any number of goroutines may use it.
type Core struct {
	library string
	stream  *gridstride.Stream
	plans   sync.Map // by type: see PlanOf

	mu     sync.Mutex
	closed bool

	work    onepass.Work
	free    chan int // places for results that nobody uses
	results gridstride.Buffer[byte]
}

// New allocates the working memory for a stream, less than five megabytes. library begins the
// errors.
//
// Errors: [gridstride.Make]'s.
func New(library string, s *gridstride.Stream) (*Core, error) {
	c := &Core{library: library, stream: s, free: make(chan int, places)}
	for i := range places {
		c.free <- i
	}
	var errs [2]error
	c.work, errs[0] = onepass.NewWork(s.Device())
	c.results, errs[1] = gridstride.Make[byte](s.Device(), places*placeBytes)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Stream is the stream.
func (c *Core) Stream() *gridstride.Stream { return c.stream }

// Close gives the memory back. What is queued still runs, and nothing more can be queued. A second
// Close does nothing.
func (c *Core) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	return errors.Join(c.work.Free(), c.results.Free())
}

// Call is the name of a function in errors.
func (c *Core) Call(function string) string { return c.library + ": " + function }

// Queue runs a function that queues a call's launches, with no other call's between them.
func (c *Core) Queue(function string, launch func(s *gridstride.Stream, w onepass.Work) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return operand.Errorf(gridstride.ErrClosed, "%s: the handle is closed", c.Call(function))
	}
	if err := launch(c.stream, c.work); err != nil {
		return fmt.Errorf("%s: %w", c.Call(function), err)
	}
	return nil
}

// Value waits for the number that queue has a call leave in out[0].
func Value[T Result](ctx context.Context, c *Core, queue func(out gridstride.Buffer[T]) error) (T, error) {
	v, err := Values(ctx, c, 1, queue)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// Index is [Value] of an index, which is -1 with an error.
func Index(ctx context.Context, c *Core, queue func(out gridstride.Buffer[int]) error) (int, error) {
	at, err := Value(ctx, c, queue)
	if err != nil {
		return -1, err
	}
	return at, nil
}

// Values waits for the n numbers, Width at most, that queue has a call leave in out. A place may be
// used again once nobody waits for its call: the stream runs the next call after it.
func Values[T Result](ctx context.Context, c *Core, n int, queue func(out gridstride.Buffer[T]) error) ([]T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case place := <-c.free:
		defer func() { c.free <- place }()
		out, err := gridstride.Cast[T](c.results.Slice(place*placeBytes, (place+1)*placeBytes))
		if err != nil {
			return nil, err
		}
		out = out.Slice(0, n)
		if err := queue(out); err != nil {
			return nil, err
		}
		return out.Read(ctx, c.stream, nil)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
