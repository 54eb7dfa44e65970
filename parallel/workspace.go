package parallel

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// The kinds of errors, for errors.Is.
var (
	// ErrShort: a buffer has too few elements for what is written to it.
	ErrShort = operand.ErrShort
	// ErrOverlap: what is written overlaps with another operand.
	ErrOverlap = operand.ErrOverlap
)

// Workspace is a stream with working memory, and with the kernels that its device has loaded. Any
// number of goroutines may use it. Work runs in the order in which it is queued.
type Workspace struct {
	stream *gridstride.Stream

	mu      sync.Mutex
	closed  bool
	epoch   uint64
	ticket  gridstride.Buffer[uint32] // 0 between launches
	words   gridstride.Buffer[uint64] // of earlier epochs
	scratch gridstride.Buffer[byte]
	places  []gridstride.Buffer[byte] // for results, which nobody uses
	loaded  map[any]any               // kernels, by the type of their launcher
}

// placeBytes is the size of a place for a result. A larger result gets its own memory.
const placeBytes = 64

// mostPlaces bounds the places that wait for a next result.
const mostPlaces = 32

// lastEpoch is the largest number of a launch. Then all words are cleared.
const lastEpoch = 1<<28 - 1

// New returns a workspace for a stream. Calls allocate memory when they need more than earlier calls
// did. The first call that needs a kernel loads it. The caller closes the stream.
//
// Errors: [gridstride.Make]'s.
func New(s *gridstride.Stream) (*Workspace, error) {
	w := &Workspace{stream: s, loaded: map[any]any{}}
	var err error
	if w.ticket, err = gridstride.Make[uint32](s.Device(), 1); err == nil {
		err = w.ticket.Zero(s)
	}
	if err != nil {
		return nil, errors.Join(err, w.ticket.Free())
	}
	return w, nil
}

// Stream is the stream on which the functions queue.
func (w *Workspace) Stream() *gridstride.Stream { return w.stream }

// Close gives the working memory back. Queued work still runs, and nothing more can be queued. A
// second Close does nothing.
func (w *Workspace) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	errs := []error{w.ticket.Free(), w.words.Free(), w.scratch.Free()}
	for _, p := range w.places {
		errs = append(errs, p.Free())
	}
	return errors.Join(errs...)
}

// queue runs a function that queues the launches of a call, with no other call's between them.
func (w *Workspace) queue(call string, launch func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return operand.Errorf(gridstride.ErrClosed, "parallel: %s: the workspace is closed", call)
	}
	if w.stream.Capturing() {
		launch = w.apart(launch)
	}
	if err := launch(); err != nil {
		return fmt.Errorf("parallel: %s: %w", call, err)
	}
	return nil
}

// apart is a call that is captured, with working memory of the graph's own: a graph is launched with
// the same epochs again and again, so that each launch has to clear the words. It may be launched on
// another stream, too.
func (w *Workspace) apart(launch func() error) func() error {
	return func() (err error) {
		ticket, words, scratch, epoch := w.ticket, w.words, w.scratch, w.epoch
		w.ticket, w.words, w.scratch, w.epoch = gridstride.Buffer[uint32]{}, gridstride.Buffer[uint64]{}, gridstride.Buffer[byte]{}, 0
		defer func() {
			err = errors.Join(err, w.ticket.Free(), w.words.Free(), w.scratch.Free())
			w.ticket, w.words, w.scratch, w.epoch = ticket, words, scratch, epoch
		}()
		if err := grow(w, &w.ticket, 1); err != nil {
			return err
		}
		return launch()
	}
}

// value waits for the result that queue has a call leave in dst[0].
func value[T any](ctx context.Context, w *Workspace, queue func(dst gridstride.Buffer[T]) error) (v T, err error) {
	if err := ctx.Err(); err != nil {
		return v, err
	}
	place, err := w.place(int(unsafe.Sizeof(v)))
	if err != nil {
		return v, err
	}
	defer w.giveBack(place)
	dst, err := gridstride.Cast[T](place.Slice(0, int(unsafe.Sizeof(v))))
	if err == nil {
		err = queue(dst)
	}
	if err != nil {
		return v, err
	}
	got, err := dst.Read(ctx, w.stream, nil)
	if err != nil {
		return v, err
	}
	return got[0], nil
}

// place is memory for a result.
func (w *Workspace) place(bytes int) (gridstride.Buffer[byte], error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := len(w.places) - 1; last >= 0 && bytes <= placeBytes && !w.closed {
		p := w.places[last]
		w.places = w.places[:last]
		return p, nil
	}
	return gridstride.Make[byte](w.stream.Device(), max(bytes, placeBytes))
}

// giveBack keeps a place for another result. The stream runs what uses it next after what used it.
func (w *Workspace) giveBack(p gridstride.Buffer[byte]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || p.Len() > placeBytes || len(w.places) >= mostPlaces {
		_ = p.Free()
		return
	}
	w.places = append(w.places, p)
}

// kernelOf loads a kernel once. F is a function of the types that the function name is called with.
func kernelOf[F, K any](w *Workspace, name string, load func(dev *gridstride.Device) (*K, error)) (*K, error) {
	key := any((*K)(nil))
	if k, ok := w.loaded[key]; ok {
		return k.(*K), nil
	}
	k, err := load(w.stream.Device())
	if errors.Is(err, gridstride.ErrNoKernel) {
		return nil, operand.Errorf(gridstride.ErrNoKernel, "it is not compiled for these types: write //gpu:instance parallel.%s%s, "+
			"with the names that the types have there, in their package, and run gridstride build", name, typesOf[F]())
	}
	if err == nil {
		w.loaded[key] = k
	}
	return k, err
}

// typesOf lists the parameters of a function type as type arguments.
func typesOf[F any]() (list string) {
	f := reflect.TypeFor[F]()
	for i := range f.NumIn() {
		list += "," + f.In(i).String()
	}
	return "[" + list[1:] + "]"
}

// next is the epoch of the next launch that hands sums or counts from tile to tile. Words are of
// earlier epochs.
func (w *Workspace) next() (epoch uint64, err error) {
	if w.epoch == lastEpoch {
		if err := w.words.Zero(w.stream); err != nil {
			return 0, err
		}
		w.epoch = 0
	}
	w.epoch++
	return w.epoch, nil
}

// grow makes a buffer have at least n elements, all zero if it has to be made anew.
func grow[T any](w *Workspace, b *gridstride.Buffer[T], n int) error {
	if b.Len() >= n {
		return nil
	}
	larger, err := gridstride.Make[T](w.stream.Device(), n)
	if err != nil {
		return err
	}
	if err := larger.Zero(w.stream); err != nil {
		return errors.Join(err, larger.Free())
	}
	old := *b
	*b = larger
	return old.Free()
}

// A part is working memory for n elements of a size.
type part struct{ n, size int }

func partOf[T any](n int) part { return part{n, int(unsafe.Sizeof(*new(T)))} }

// bytes is the part's size, rounded so that the next part is aligned.
func (p part) bytes() int { return (p.n*p.size + 255) / 256 * 256 }

// room cuts working memory into parts, which [take] takes in the same order.
type room struct {
	rest gridstride.Buffer[byte]
	err  error
}

// room makes room for some parts, until the next call.
func (w *Workspace) room(parts ...part) (*room, error) {
	bytes := 0
	for _, p := range parts {
		bytes += p.bytes()
	}
	if w.scratch.Len() < bytes {
		larger, err := gridstride.Make[byte](w.stream.Device(), bytes)
		if err != nil {
			return nil, err
		}
		old := w.scratch
		w.scratch = larger
		if err := old.Free(); err != nil {
			return nil, err
		}
	}
	return &room{rest: w.scratch}, nil
}

// take takes the next part.
func take[T any](r *room, n int) gridstride.Buffer[T] {
	p := partOf[T](n)
	b, err := gridstride.Cast[T](r.rest.Slice(0, p.n*p.size))
	r.err = errors.Join(r.err, err)
	r.rest = r.rest.Slice(p.bytes(), r.rest.Len())
	return b
}

// atLeast is the error for a buffer with fewer than n elements.
func atLeast[T any](what string, b gridstride.Buffer[T], n int) error {
	if b.Len() < n {
		return operand.Errorf(ErrShort, "%s has %d elements; want %d", what, b.Len(), n)
	}
	return nil
}

// apart is the error for buffers that overlap.
func apart[T, U any](what string, a gridstride.Buffer[T], b gridstride.Buffer[U]) error {
	bytes, err := gridstride.Cast[byte](a)
	other, err2 := gridstride.Cast[byte](b)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if bytes.Overlaps(other) {
		return operand.Errorf(ErrOverlap, "%s overlap", what)
	}
	return nil
}
