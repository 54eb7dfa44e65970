package difftest

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/gridstride/gridstride/internal/proof/difftest/gen"
	"github.com/gridstride/gridstride/internal/proof/difftest/host"
)

// A bundle is programs, compiled, with what the host and the simulator made of them: all that a
// machine without a Go toolchain needs to run and check them. It is a stream of gobs, a Contents
// and then batches.
//
// The simulator has run every program in it, within a budget of instructions, and agreed with the
// host: a program that does not end has no place on a GPU, where nothing can stop it.

// Contents says what a bundle has.
type Contents struct {
	First  uint64 // seed of the first program, the others follow; 0 for files
	Count  int
	Oracle string // the Go that compiled the programs for the host
}

// Batch is programs compiled together, into a module for each target.
type Batch struct {
	Modules  []Module
	Programs []*Program
	Want     []host.Outcome
	// Simulated is the digest of the memory that each program left on the simulator, NaNs and
	// padding and all.
	Simulated []Digest
}

// Digest is of the memory of all slices of a program.
type Digest [sha256.Size]byte

func digest(memory [][]byte) (d Digest) {
	h := sha256.New()
	for _, m := range memory {
		h.Write(m)
	}
	h.Sum(d[:0])
	return d
}

func (b *Batch) String() string {
	return fmt.Sprintf("seeds %d to %d", b.Programs[0].Seed, b.Programs[len(b.Programs)-1].Seed)
}

// BundleWriter writes bundles.
type BundleWriter struct {
	Oracle   *Oracle
	Compiler *Compiler
	// Batch is how many programs the host runs together, Module how many are compiled into one
	// module. A driver compiles a module with one thread.
	Batch, Module int
}

// Write writes a bundle of count programs from a seed on. It is an error if the simulator does not
// agree with the host.
func (bw *BundleWriter) Write(ctx context.Context, w io.Writer, first uint64, count int) error {
	return bw.write(ctx, w, Contents{First: first, Count: count}, func(i int) string { return gen.Program(first + uint64(i)) })
}

// WriteSources writes a bundle of the programs that these are the sources of, as Write does.
func (bw *BundleWriter) WriteSources(ctx context.Context, w io.Writer, sources []string) error {
	return bw.write(ctx, w, Contents{Count: len(sources)}, func(i int) string { return sources[i] })
}

// write writes a bundle of programs by their sources.
func (bw *BundleWriter) write(ctx context.Context, w io.Writer, c Contents, source func(i int) string) error {
	z := gzip.NewWriter(w)
	enc := gob.NewEncoder(z)
	c.Oracle = runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	if err := enc.Encode(c); err != nil {
		return err
	}
	for done := 0; done < c.Count; done += bw.Batch {
		n := min(bw.Batch, c.Count-done)
		batches, err := bw.batches(ctx, n, func(i int) string { return source(done + i) })
		if err != nil {
			return err
		}
		for _, b := range batches {
			if err := enc.Encode(b); err != nil {
				return err
			}
		}
	}
	return z.Close()
}

// batches runs n programs on the host, and compiles and simulates them in modules.
func (bw *BundleWriter) batches(ctx context.Context, n int, source func(i int) string) ([]*Batch, error) {
	programs := make([]*Program, n)
	for i := range programs {
		var err error
		if programs[i], err = bw.Oracle.Parse(source(i)); err != nil {
			return nil, fmt.Errorf("%w in the program\n%s", err, source(i))
		}
	}
	want, err := bw.Oracle.Run(ctx, programs)
	if err != nil {
		return nil, err
	}
	var batches []*Batch
	for at := 0; at < n; at += bw.Module {
		end := min(at+bw.Module, n)
		b := &Batch{Programs: programs[at:end], Want: want[at:end]}
		if b.Modules, _, err = bw.Compiler.compile(b.Programs, 0); err != nil {
			return nil, fmt.Errorf("%v: %w", b, err)
		}
		if err := b.simulate(ctx); err != nil {
			return nil, err
		}
		batches = append(batches, b)
	}
	return batches, nil
}

// simulate runs the programs on the simulator.
func (b *Batch) simulate(ctx context.Context) error {
	kernels, err := loadModules(Simulator{}, b.Modules)
	if err != nil {
		return fmt.Errorf("%v: %w", b, err)
	}
	defer kernels.Close()
	for i, p := range b.Programs {
		if b.Want[i].TimedOut {
			return fmt.Errorf("seed %d: the program does not end on the host", p.Seed)
		}
		o := p.launch(ctx, kernels, i)
		if d := p.Compare(b.Want[i], o); d != nil {
			return fmt.Errorf("seed %d: simulator and host differ: %v", p.Seed, d)
		}
		b.Simulated = append(b.Simulated, digest(o.Memory))
	}
	return nil
}

// BundleReader reads a bundle.
type BundleReader struct {
	Contents
	dec *gob.Decoder
}

// NewBundleReader reads what the bundle has.
func NewBundleReader(r io.Reader) (*BundleReader, error) {
	z, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("not a bundle: %w", err)
	}
	b := &BundleReader{dec: gob.NewDecoder(z)}
	if err := b.dec.Decode(&b.Contents); err != nil {
		return nil, fmt.Errorf("not a bundle: %w", err)
	}
	return b, nil
}

// Next returns the next batch, io.EOF after the last.
func (r *BundleReader) Next() (*Batch, error) {
	b := new(Batch)
	err := r.dec.Decode(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("bundle: %w", err)
	}
	return b, err
}
