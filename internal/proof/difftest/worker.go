package difftest

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A driver compiles the modules of one process one after another. So batches can be run by separate
// processes, which use the same GPU: Serve is such a process, Process its parent's end.

// greeting is the first that a process says.
type greeting struct{ Device, Driver, Err string }

// job is the work of a process.
type job struct {
	Batch *Batch
	From  int
}

// Serve opens the device, and runs the jobs in r, answering on w, until r ends.
func Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	enc, dec := gob.NewEncoder(w), gob.NewDecoder(r)
	m, err := OpenPublic()
	if err != nil {
		return enc.Encode(greeting{Err: err.Error()})
	}
	if err := enc.Encode(greeting{Device: m.Name(), Driver: m.Driver()}); err != nil {
		return err
	}
	for {
		var j job
		if err := dec.Decode(&j); errors.Is(err, io.EOF) {
			return m.Close()
		} else if err != nil {
			return err
		}
		results, err := Local{m}.Run(ctx, j.Batch, j.From)
		if err != nil {
			return err
		}
		if err := enc.Encode(results); err != nil {
			return err
		}
	}
}

// Process is a Runner in a separate process, which is replaced when its device becomes unusable.
type Process struct {
	Device, Driver string

	args  []string
	cmd   *exec.Cmd // nil if there is none
	stdin io.WriteCloser
	enc   *gob.Encoder
	dec   *gob.Decoder
}

// A process that takes longer for a batch, or to close its device, is killed.
const (
	batchLimit = 2 * time.Minute
	closeLimit = 10 * time.Second
)

// StartProcess starts a program that calls Serve.
func StartProcess(program string, args ...string) (*Process, error) {
	p := &Process{args: append([]string{program}, args...)}
	return p, p.start()
}

func (p *Process) start() (err error) {
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Stderr = os.Stderr
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.enc, p.dec = cmd, gob.NewEncoder(p.stdin), gob.NewDecoder(out)
	var hello greeting
	if err := p.dec.Decode(&hello); err != nil {
		p.kill()
		return fmt.Errorf("%s does not answer: %w", p.args[0], err)
	}
	if hello.Err != "" {
		p.kill()
		return errors.New(hello.Err)
	}
	p.Device, p.Driver = hello.Device, hello.Driver
	return nil
}

// Run implements Runner.
func (p *Process) Run(ctx context.Context, b *Batch, from int) ([]Result, error) {
	if p.cmd == nil {
		if err := p.start(); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, batchLimit, fmt.Errorf("its process did not answer for %v", batchLimit))
	defer cancel()
	process := p.cmd.Process
	stop := context.AfterFunc(ctx, func() { _ = process.Kill() })
	defer stop()
	var results []Result
	if err := errors.Join(p.enc.Encode(job{b, from}), p.dec.Decode(&results)); err != nil {
		p.kill()
		return nil, errors.Join(context.Cause(ctx), err)
	}
	if from+len(results) < len(b.Programs) {
		p.kill()
	}
	return results, nil
}

// kill ends the process at once: one whose device is unusable cannot close it.
func (p *Process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it says that the process was killed
	p.cmd = nil
}

// Close lets the process close its device and end.
func (p *Process) Close() error {
	if p.cmd == nil {
		return nil
	}
	process := p.cmd.Process
	late := time.AfterFunc(closeLimit, func() { _ = process.Kill() })
	defer late.Stop()
	err := errors.Join(p.stdin.Close(), p.cmd.Wait())
	p.cmd = nil
	return err
}
