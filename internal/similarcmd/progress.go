package similarcmd

import (
	"fmt"
	"io"
	"time"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/plain"
)

// progress reports the state of long work, with the rate and the time left: in a line of a terminal
// that changes, and in a line now and then if the output is no terminal.
type progress struct {
	w        io.Writer
	terminal bool
	start    time.Time
	said     time.Time // when the last line was written
	now      func() time.Time
	what     string // documents, some done before
	done     int64
	parts    int64 // of all, such as bytes
	allParts int64 // 0 where unknown
}

// sayEvery is the time between two lines, and showEvery that between two changes of a terminal's.
const (
	sayEvery  = 5 * time.Second
	showEvery = 100 * time.Millisecond
)

// newProgress starts work on all parts, such as bytes. 0 says that the number is not known.
func newProgress(w io.Writer, what string, all int64) *progress {
	now := time.Now()
	return &progress{w: w, terminal: cli.IsTerminal(w), what: what, allParts: all, start: now, said: now, now: time.Now}
}

// add says that more is done.
func (p *progress) add(done int, parts int64) {
	if p.allParts > 0 {
		parts = min(parts, p.allParts-p.parts) // the bytes of files besides their text are not known before
	}
	p.done, p.parts = p.done+int64(done), p.parts+parts
	now := p.now()
	switch {
	case p.terminal && now.Sub(p.said) >= showEvery:
		p.said = now
		p.clear()
		fmt.Fprint(p.w, p.line(now))
	case !p.terminal && now.Sub(p.said) >= sayEvery:
		p.said = now
		fmt.Fprintln(p.w, p.line(now))
	}
}

// line is how far the work is.
func (p *progress) line(now time.Time) string {
	took := now.Sub(p.start)
	text := fmt.Sprintf("%d %s, %.0f a second", p.done, p.what, float64(p.done)/took.Seconds())
	if p.allParts > 0 && p.parts > 0 {
		left := time.Duration(float64(took) * float64(p.allParts-p.parts) / float64(p.parts))
		text += fmt.Sprintf(", %d %%, about %v left", 100*p.parts/p.allParts, left.Round(time.Second))
	}
	return text
}

// say writes a line that stays.
func (p *progress) say(format string, args ...any) {
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
}

// end removes the line of a terminal.
func (p *progress) end() { p.clear() }

// clear empties the line of a terminal.
func (p *progress) clear() {
	if p.terminal {
		fmt.Fprint(plain.Raw(p.w), "\r\x1b[K")
	}
}
