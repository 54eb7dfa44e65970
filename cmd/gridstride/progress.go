package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/internal/tools/plain"
)

// progress is a line on a terminal that says how far a command has come, once it has taken longer
// than a second. On anything that is no terminal it writes nothing. Its methods may be called from
// any goroutine.
type progress struct {
	w     io.Writer
	start time.Time
	now   func() time.Time

	mu    sync.Mutex
	last  time.Time // when the line was written
	shown bool
}

func newProgress(w io.Writer) *progress {
	if !cli.IsTerminal(w) {
		return &progress{}
	}
	return &progress{w: plain.Raw(w), start: time.Now(), now: time.Now}
}

// show replaces the line, a few times a second at most.
func (p *progress) show(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	now := p.now()
	if now.Sub(p.start) < time.Second || now.Sub(p.last) < 200*time.Millisecond {
		return
	}
	p.last, p.shown = now, true
	fmt.Fprintf(p.w, "\r\x1b[K%s, %.0f s", plain.Text(text), now.Sub(p.start).Seconds())
}

// launch shows how far the check of a launch is.
func (p *progress) launch(c check.Progress) {
	p.show(fmt.Sprintf("%s: order %d of %d, block %d of %d, %s", c.Kernel, c.Order+1, c.Orders, c.Blocks, c.Total,
		count.Of(c.FindingsSoFar, "finding")))
}

// counting shows how far the profile of a launch is.
func (p *progress) counting(c check.Progress) {
	p.show(fmt.Sprintf("%s: block %d of %d", c.Kernel, c.Blocks, c.Total))
}

// clear removes the line.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
