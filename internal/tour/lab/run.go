package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/argspec"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/machine/runptx"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/tour/picture"
)

// timeLimit is how long a launch may take. The page ends one that takes longer than it likes.
const timeLimit = time.Minute

// budget is how many warp instructions a launch may run without progress.
const budget = 1 << 22

// Result says what a launch did.
type Result struct {
	Error    string            `json:"error"` // why it could not be launched, or did not come to its end
	Printed  string            `json:"printed"`
	Buffers  []Contents        `json:"buffers"`
	Total    counters.Counts   `json:"total"`
	Lines    []LineCount       `json:"lines"`
	Pictures *picture.Pictures `json:"pictures"`
	order    string
}

// Contents has a buffer's values before and after a launch.
type Contents struct {
	Name   string   `json:"name"`
	Len    int      `json:"len"` // values
	Before []string `json:"before"`
	After  []string `json:"after"` // the first MaxShown values of each
	bytes  []byte
	elem   argspec.Elem
}

// LineCount has the counts of a line of the program.
type LineCount struct {
	Line int `json:"line"`
	counters.Counts
}

// job makes the launch that l says.
func (c *Compiled) job(l Launch) (*runptx.Job, *Kernel, error) {
	k, err := c.kernelNamed(l.Kernel)
	if err != nil {
		return nil, nil, err
	}
	job := &runptx.Job{Name: pageFile, PTX: k.text, Entry: k.Entry}
	if job.Config.GridDim, err = dim("grid", l.Grid); err != nil {
		return nil, nil, err
	}
	if job.Config.BlockDim, err = dim("block", l.Block); err != nil {
		return nil, nil, err
	}
	if len(l.Block) == 0 {
		job.Config.BlockDim = gridstride.Dim3{X: k.Block[0], Y: k.Block[1], Z: k.Block[2]}
	}
	job.Config.SharedBytes = l.Shared
	if n := threads(job.Config); n > MaxThreads {
		return nil, nil, fmt.Errorf("the grid has more than %d threads, which take too long in a page; want fewer blocks", MaxThreads)
	}
	if len(l.Args) != len(k.Params) {
		return nil, nil, fmt.Errorf("%s takes %d arguments, and %d are given", k.Name, len(k.Params), len(l.Args))
	}
	memory := 0
	for i, text := range l.Args {
		arg, err := argspec.Parse(strings.TrimSpace(text), argspec.NoFiles)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", k.Params[i].Name, err)
		}
		if memory += min(arg.Size(), MaxMemory+1); memory > MaxMemory {
			return nil, nil, fmt.Errorf("%s: the buffers have more than %d MiB together, which a page does not give", k.Params[i].Name, MaxMemory>>20)
		}
		job.Args = append(job.Args, arg)
	}
	return job, k, nil
}

// threads is the number of threads of a launch, at most a little more than MaxThreads.
func threads(c gridstride.Config) int {
	n := 1
	for _, d := range []int{c.GridDim.X, c.GridDim.Y, c.GridDim.Z, c.BlockDim.X, c.BlockDim.Y, c.BlockDim.Z} {
		n = min(n, MaxThreads+1) * min(max(d, 1), MaxThreads+1)
	}
	return n
}

func (c *Compiled) kernelNamed(name string) (*Kernel, error) {
	if len(c.Kernels) == 0 {
		return nil, errors.New("the program does not compile")
	}
	if name == "" {
		return &c.Kernels[0], nil
	}
	for i := range c.Kernels {
		if k := &c.Kernels[i]; k.Name == name || k.Entry == name {
			return k, nil
		}
	}
	return nil, fmt.Errorf("the program has no kernel %s", name)
}

// dim reads the size of a grid or a block. No numbers are the zero Dim3.
func dim(what string, n []int) (d gridstride.Dim3, err error) {
	if len(n) > 3 {
		return d, fmt.Errorf("the %s has %d sizes; want at most 3", what, len(n))
	}
	if len(n) == 0 {
		return d, nil
	}
	d = gridstride.Dim3{X: 1, Y: 1, Z: 1}
	for i, size := range n {
		if size < 1 {
			return d, fmt.Errorf("the %s has the size %d; want at least 1", what, size)
		}
		*[]*int{&d.X, &d.Y, &d.Z}[i] = size
	}
	return d, nil
}

// Run launches a kernel once, and notes what it does. more observes the launch too, if it is not nil.
// It gives a Result for a launch that fails, too.
func (c *Compiled) Run(ctx context.Context, l Launch, more event.Observer) *Result {
	r := &Result{Buffers: []Contents{}, Lines: []LineCount{}}
	job, k, err := c.job(l)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	failed := job.Debug(ctx, runptx.Observation{Options: check.Options{TimeLimit: timeLimit}}, func(ctx context.Context, d checked.Launch) error {
		return c.observe(ctx, r, job, k, l.Order, d, more)
	})
	if failed != nil {
		r.Error = c.words(failed)
	}
	return r
}

// observe runs a launch under the observers.
func (c *Compiled) observe(ctx context.Context, r *Result, job *runptx.Job, k *Kernel, order int, d checked.Launch, more event.Observer) error {
	l := d.Launch
	buffers := c.buffers(job, k, d)
	recorder, counter := picture.New(&d.Entry.Kernel, buffers, c.line), counters.New()
	observers := event.Observers{recorder, counter}
	if more != nil {
		observers = append(observers, more)
	}
	printed := &bounded{left: maxPrinted}
	r.order = check.SetOrder(&l, order, 1)
	l.Observer, l.Steps, l.StepsWhile, l.Budget, l.Output = observers, true, nil, budget, printed
	_, err := d.Machine.Launch(ctx, d.Entry, l)
	r.Printed, r.Pictures = printed.text.String(), recorder.Pictures()
	profile := counter.Profile(k.Name, &d.Entry.Kernel, l.Grid, l.Block, nil)
	r.Total = profile.Total
	for _, line := range profile.Lines {
		if !c.source && isPage(line.Source.File) {
			r.Lines = append(r.Lines, LineCount{line.Source.Line, line.Counts})
		}
	}
	for _, b := range buffers {
		i := slices.IndexFunc(k.Params, func(p Param) bool { return p.Name == b.Name })
		if data, bad := d.Machine.Bytes(b.Addr, int64(b.Size)); bad == nil {
			r.Buffers = append(r.Buffers, contents(b.Name, job.Args[i], data))
		}
	}
	return err
}

// buffers are the buffers that the kernel's parameters point to.
func (c *Compiled) buffers(job *runptx.Job, k *Kernel, d checked.Launch) (list []picture.Buffer) {
	list = []picture.Buffer{}
	tool.Pointers(&d.Entry.Kernel, d.Launch.Params, func(_ string, n int, addr uint64) {
		name := d.Entry.Params[n].Name
		i := slices.IndexFunc(k.Params, func(p Param) bool { return p.Name == name })
		if name == abi.FaultParam || i < 0 || !job.Args[i].Buffer {
			return
		}
		a := job.Args[i]
		list = append(list, picture.Buffer{Name: name, Addr: addr, Size: uint64(a.Size()), Elem: a.Elem.Size * a.Lanes})
	})
	return list
}

func contents(name string, a *argspec.Arg, data []byte) Contents {
	c := Contents{Name: name, Len: a.Values(), Before: []string{}, After: []string{}, bytes: slices.Clone(data), elem: a.Elem}
	before := a.Data()
	for i := range min(a.Values(), MaxShown) {
		c.After = append(c.After, a.Elem.Format(data, i))
		if before != nil {
			c.Before = append(c.Before, a.Elem.Format(before, i))
		}
	}
	return c
}

// line is the line of the program that an instruction belongs to. For an instruction of another
// package it is the line at which the function was inlined.
func (c *Compiled) line(s *event.Site) int {
	if c.source {
		return s.Instr.Pos.Line
	}
	if isPage(s.Source.File) {
		return s.Source.Line
	}
	for _, p := range s.Stack {
		if isPage(p.File) {
			return p.Line
		}
	}
	return 0
}

func isPage(file string) bool { return file == pagePath+"/"+pageFile || file == pageFile }

// words is the text of an error, with the lines of the program alone.
func (c *Compiled) words(err error) string { return c.wordsOf(err.Error()) }

func (c *Compiled) wordsOf(text string) string {
	return strings.ReplaceAll(text, pagePath+"/"+pageFile, pageFile)
}

// maxPrinted is how many bytes a launch may print.
const maxPrinted = 1 << 16

// bounded keeps the first bytes that are written.
type bounded struct {
	text strings.Builder
	left int
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.text.Write(p[:n])
	if b.left -= n; n < len(p) && !strings.HasSuffix(b.text.String(), "…\n") {
		b.text.WriteString("…\n")
	}
	return len(p), nil
}

var _ io.Writer = (*bounded)(nil)
