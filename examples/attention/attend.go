package main

import (
	"context"
	"errors"
	"time"

	"github.com/gridstride/gridstride"
)

// Inputs are queries, keys and values, and the gradient of the result. The rows of a head follow
// each other.
type Inputs[R Row] struct {
	Shape
	Heads         int
	Q, K, V, Grad []R
}

// Results are attention and its gradients from a device.
type Results[R Row] struct {
	Out, GradQ, GradK, GradV []R
	Logs                     []float32     // see Forward
	Forward, Backward        time.Duration // by the device's clock
}

// attend computes attention and its gradients on a device.
func attend[R Row, S Sums](ctx context.Context, dev *gridstride.Device, in *Inputs[R]) (*Results[R], error) {
	if err := in.check(in.Heads, len(in.Q), len(in.K), len(in.V), len(in.Grad)); err != nil {
		return nil, err
	}
	j := &job[R, S]{ctx: ctx, dev: dev, stream: dev.Stream(), in: in}
	results, err := j.run()
	for _, free := range j.free {
		err = errors.Join(err, free())
	}
	if err != nil {
		return nil, err
	}
	return results, nil
}

// job is one call of attend. Its functions do nothing once something has failed.
type job[R Row, S Sums] struct {
	ctx    context.Context
	dev    *gridstride.Device
	stream *gridstride.Stream
	in     *Inputs[R]
	free   []func() error
	err    error
}

// run queues the kernels one after the other, and waits.
func (j *job[R, S]) run() (*Results[R], error) {
	saved := SavedBuffers[R]{
		Q: j.copyOf(j.in.Q), K: j.copyOf(j.in.K), V: j.copyOf(j.in.V), Grad: j.copyOf(j.in.Grad),
		Logs: room[float32](j, len(j.in.Q)), Deltas: room[float32](j, len(j.in.Q)),
	}
	out, gradQ := room[R](j, len(j.in.Q)), room[R](j, len(j.in.Q))
	gradK, gradV := room[R](j, len(j.in.K)), room[R](j, len(j.in.K))
	results := &Results[R]{
		Forward:  j.time(func() error { return j.forward(saved, out) }),
		Backward: j.time(func() error { return j.backward(saved, out, gradQ, gradK, gradV) }),
	}
	results.Out, results.Logs = read(j, out), read(j, saved.Logs)
	results.GradQ, results.GradK, results.GradV = read(j, gradQ), read(j, gradK), read(j, gradV)
	return results, j.err
}

// tiles is a block for each tile of rows, and the heads along Y.
func (j *job[R, S]) tiles(rows int) gridstride.Config {
	return gridstride.Grid((rows+tileRows-1)/tileRows, j.in.Heads)
}

// forward queues attention.
func (j *job[R, S]) forward(saved SavedBuffers[R], out gridstride.Buffer[R]) error {
	kernel, err := LoadForward[R, S](j.dev)
	if err != nil {
		return err
	}
	return kernel.Launch(j.stream, j.tiles(j.in.Queries), saved.Q, saved.K, saved.V, out, saved.Logs, j.in.Shape)
}

// backward queues the gradients.
func (j *job[R, S]) backward(saved SavedBuffers[R], out, gradQ, gradK, gradV gridstride.Buffer[R]) error {
	deltas, err := LoadDeltas[R](j.dev)
	queries, err2 := LoadGradQueries[R, S](j.dev)
	keys, err3 := LoadGradKeys[R, S](j.dev)
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	rows := gridstride.Grid((out.Len() + block - 1) / block).Block(block)
	return errors.Join(
		deltas.Launch(j.stream, rows, out, saved.Grad, saved.Deltas),
		queries.Launch(j.stream, j.tiles(j.in.Queries), saved, gradQ, j.in.Shape),
		keys.Launch(j.stream, j.tiles(j.in.Keys), saved, gradK, gradV, j.in.Shape))
}

// time is how long the device takes for what a function queues.
func (j *job[R, S]) time(queue func() error) (took time.Duration) {
	if j.err != nil {
		return 0
	}
	start := j.stream.Record()
	if j.err = queue(); j.err == nil {
		took, j.err = j.stream.Record().Since(j.ctx, start)
	}
	return took
}

// copyOf is a buffer with a copy of rows.
func (j *job[R, S]) copyOf(rows []R) (b gridstride.Buffer[R]) {
	if j.err == nil {
		b, j.err = gridstride.CopyOf(j.dev, rows)
		j.free = append(j.free, b.Free)
	}
	return b
}

// room is a buffer of n elements.
func room[T any, R Row, S Sums](j *job[R, S], n int) (b gridstride.Buffer[T]) {
	if j.err == nil {
		b, j.err = gridstride.Make[T](j.dev, n)
		j.free = append(j.free, b.Free)
	}
	return b
}

// read waits and returns what is in a buffer.
func read[T any, R Row, S Sums](j *job[R, S], b gridstride.Buffer[T]) (host []T) {
	if j.err == nil {
		host, j.err = b.Read(j.ctx, j.stream, nil)
	}
	return host
}
