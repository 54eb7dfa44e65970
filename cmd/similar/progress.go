package main

import (
	"fmt"
	"io"
	"time"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/plain"
	"github.com/schollz/progressbar/v3"
)

// progress says how far long work has come: as a bar with the rate and the time left on a terminal,
// and as a line now and then where there is none.
type progress struct {
	w        io.Writer
	bar      *progressbar.ProgressBar // nil where there is no terminal
	start    time.Time
	said     time.Time // when the last line was written
	now      func() time.Time
	what     string // documents, of which some were done
	done     int64
	parts    int64 // of all, such as bytes
	allParts int64 // 0 where unknown
}

// sayEvery is the time between two lines.
const sayEvery = 5 * time.Second

// newProgress starts work on things of which there are all parts, such as bytes; 0 says that nobody
// knows how many.
func newProgress(w io.Writer, what string, all int64, bytes bool) *progress {
	now := time.Now()
	p := &progress{w: w, what: what, allParts: all, start: now, said: now, now: time.Now}
	if cli.IsTerminal(w) {
		most := all
		if all == 0 {
			most = -1
		}
		options := []progressbar.Option{
			progressbar.OptionSetWriter(plain.Raw(w)), progressbar.OptionSetDescription(what), progressbar.OptionShowBytes(bytes),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth(), progressbar.OptionSpinnerType(14),
		}
		if !bytes { // of bytes it shows the rate itself
			options = append(options, progressbar.OptionShowIts())
		}
		p.bar = progressbar.NewOptions64(most, options...)
	}
	return p
}

// add says that more is done.
func (p *progress) add(done int, parts int64) {
	if p.allParts > 0 {
		parts = min(parts, p.allParts-p.parts) // what files hold beside their text is not known before
	}
	p.done, p.parts = p.done+int64(done), p.parts+parts
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%d %s", p.done, p.what))
		_ = p.bar.Add64(parts)
		return
	}
	if now := p.now(); now.Sub(p.said) >= sayEvery {
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

// say writes a line that stays, above the bar.
func (p *progress) say(format string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.w, format+"\n", args...)
}

// end removes the bar.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
		_ = p.bar.Exit()
	}
}
