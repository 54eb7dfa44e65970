package difftest

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gridstride/gridstride/internal/difftest/gen"
	"github.com/gridstride/gridstride/internal/difftest/host"
)

// Batch is programs, compiled, with what the host made of them: all that a machine without a Go toolchain needs to run and check them.
// A bundle is a stream of batches.
type Batch struct {
	PTX      string
	Programs []*Program
	Want     []host.Outcome
}

// WriteBundle writes a bundle of count programs from a seed on, size a batch.
func WriteBundle(ctx context.Context, w io.Writer, o *Oracle, c *Compiler, first uint64, count, size int) error {
	z := gzip.NewWriter(w)
	enc := gob.NewEncoder(z)
	for done := 0; done < count; done += size {
		var b Batch
		for i := range min(size, count-done) {
			seed := first + uint64(done+i)
			p, err := o.Parse(gen.Program(seed))
			if err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
			b.Programs = append(b.Programs, p)
		}
		var err error
		if b.Want, err = o.Run(ctx, b.Programs); err != nil {
			return err
		}
		if b.PTX, _, err = c.compile(b.Programs, 0); err != nil {
			return fmt.Errorf("seeds %d to %d: %w", b.Programs[0].Seed, b.Programs[len(b.Programs)-1].Seed, err)
		}
		if err := enc.Encode(b); err != nil {
			return err
		}
	}
	return z.Close()
}

// RunBundle runs a bundle on a machine. It calls differ, if not nil, for each program that differs.
func RunBundle(ctx context.Context, r io.Reader, m Machine, differ func(Verdict)) (Summary, error) {
	start := time.Now()
	c := Campaign{Differ: differ}
	sum := Summary{Device: m.Name(), Oracle: "bundle", Kinds: map[string]int{}, Contain: map[string]int{}}
	z, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return sum, fmt.Errorf("not a bundle: %w", err)
	}
	dec := gob.NewDecoder(z)
	for {
		var b Batch
		if err := dec.Decode(&b); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return sum, fmt.Errorf("bundle: %w", err)
		}
		if sum.First == 0 && len(b.Programs) > 0 {
			sum.First = b.Programs[0].Seed
		}
		verdicts, err := b.run(ctx, m)
		if err != nil {
			return sum, err
		}
		c.add(&sum, b.Programs, verdicts)
		sum.Seconds = time.Since(start).Seconds()
	}
	return sum, nil
}

func (b *Batch) run(ctx context.Context, m Machine) ([]Verdict, error) {
	kernels, err := m.Load(b.PTX)
	if err != nil {
		return nil, err
	}
	defer kernels.Close()
	var verdicts []Verdict
	for i, p := range b.Programs {
		if b.Want[i].TimedOut {
			continue
		}
		o := p.launch(ctx, kernels, i)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		verdicts = append(verdicts, Verdict{p, p.Threads(), len(b.Want[i].Failures), p.Compare(b.Want[i], o)})
	}
	return verdicts, nil
}
