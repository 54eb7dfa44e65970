package runptx

import (
	"context"
	"io"

	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Debug gives the job's launch to a session of the debugger, with its arguments. The error is of a job
// that could not be launched, or the session's.
func (j *Job) Debug(ctx context.Context, o Observation, session func(context.Context, checked.Launch) error) error {
	config := &checked.Config{
		Options: o.Options,
		Instead: func(_ context.Context, l checked.Launch) error {
			l.Elems = j.elems(l.Entry)
			return session(ctx, l)
		},
	}
	dev, err := o.open(config)
	if err != nil {
		return err
	}
	defer dev.Close()
	outs := j.Outs
	defer func() { j.Outs = outs }()
	j.Outs = nil
	return j.Run(ctx, dev, io.Discard)
}

// elems are the types of the elements of the buffers that are arguments, by the name of the parameter
// with their address.
func (j *Job) elems(e *sim.Entry) map[string]ptx.Type {
	types := map[string]ptx.Type{}
	i := 0
	for k, p := range e.Params {
		if e.IsLength(k) {
			continue
		}
		if i < len(j.Args) && j.Args[i].Buffer {
			types[p.Name] = ptx.Type(j.Args[i].Elem.Name)
		}
		i++
	}
	return types
}
