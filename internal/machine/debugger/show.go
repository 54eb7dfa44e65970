package debugger

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/tools/plain"
)

// showPosition says what time it is, and where the thread in focus is.
func (s *Session) showPosition() {
	if ended, why := s.line.Ended(); ended {
		fmt.Fprintf(s.out, "time %d: the launch has ended\n", s.line.Now())
		if why != nil {
			fmt.Fprint(s.out, plain.Text(fmt.Sprintf("%v\n", why)))
		}
		return
	}
	fmt.Fprintf(s.out, "time %d: block %d, warp %d, thread %s\n", s.line.Now(), s.focus.Block, s.focus.Warp, threadText(s, s.focus))
	_, g, ok := s.group()
	if !ok {
		fmt.Fprintln(s.out, "  it has not started, or has ended")
		return
	}
	fmt.Fprintln(s.out, "  "+s.siteText(g.Site))
	if g.State != event.Running {
		fmt.Fprintf(s.out, "  it %s: %s\n", waitText(g.State), g.Detail)
	}
}

// siteText is "dot.go:19  sum += a[i] * b[i]    ptx:57: ld.global.f32 …".
func (s *Session) siteText(at *event.Site) string {
	if at == nil {
		return "the start"
	}
	text := placeOf(at).String()
	if line := strings.TrimSpace(s.text(placeOf(at))); line != "" && at.Source.Line > 0 {
		text += "  " + line
	}
	if at.Source.Line > 0 && at.Instr != nil {
		text += fmt.Sprintf("    ptx:%d", at.Instr.Pos.Line)
	}
	if at.Instr != nil {
		text += "  " + at.Instr.String()
	}
	return plain.Text(text)
}

// text is a line of a source file, or of the PTX.
func (s *Session) text(p place) string {
	if p.file == "" || s.launch.Options.Text == nil {
		return ""
	}
	return s.launch.Options.Text(p.file, p.line)
}

func waitText(w event.WaitState) string {
	text := strings.TrimSuffix(string(w), " at")
	first, rest, _ := strings.Cut(text, " ")
	return strings.TrimSpace(first + "s " + rest)
}

// showWarps lists where the warps of a block are.
func (s *Session) showWarps(b *sim.BlockView) {
	fmt.Fprintf(s.out, "block %d %s\n", b.Linear, dims(b.Index))
	for i := range b.Warps {
		w := &b.Warps[i]
		for _, g := range w.Groups {
			s.showGroup(b, w, s.exact(g))
		}
		if ended := w.Exist &^ w.Live; ended != 0 {
			fmt.Fprintf(s.out, "  warp %-2d lanes %s have ended\n", w.Index, lanesText(ended))
		}
		for _, f := range w.Flight {
			fmt.Fprintf(s.out, "  warp %-2d lanes %s have in flight: %s\n", w.Index, lanesText(f.Lanes), s.siteText(f.Site))
		}
	}
}

func (s *Session) showGroup(b *sim.BlockView, w *sim.WarpView, g sim.GroupView) {
	mark := " "
	if s.focus.Block == b.Linear && s.focus.Warp == w.Index && g.Mask>>s.focus.Lane&1 != 0 {
		mark = "*"
	}
	fmt.Fprintf(s.out, "%s warp %-2d lanes %s %s %s\n", mark, w.Index, lanesText(g.Mask), g.State, s.siteText(g.Site))
	if g.Detail != "" {
		fmt.Fprintf(s.out, "          %s\n", g.Detail)
	}
}

func lanesText(mask uint32) string {
	var list []int
	for i := range abi.WarpSize {
		if mask>>i&1 != 0 {
			list = append(list, i)
		}
	}
	return event.RangesText(event.Ranges(list))
}

// showSource prints the lines around one, with an arrow at the lines of the thread in focus.
func (s *Session) showSource(around place) error {
	if around.file == "" || s.text(around) == "" {
		return fmt.Errorf("the source of %v is not at hand; name its folder with --sources, or see ptx", around)
	}
	const context = 5
	here := placeOf(s.where())
	last := around.line + context
	for last > around.line && s.text(place{around.file, last}) == "" {
		last--
	}
	for line := max(1, around.line-context); line <= last; line++ {
		p := place{around.file, line}
		mark, text := " ", s.text(p)
		if p == here {
			mark = "*"
		}
		fmt.Fprintln(s.out, plain.Text(strings.TrimRight(fmt.Sprintf("%s%4d  %s", mark, line, strings.ReplaceAll(text, "\t", "    ")), " ")))
	}
	s.listed = place{around.file, around.line + 2*context + 1}
	return nil
}

// showPTX prints the instructions around the one of the thread in focus.
func (s *Session) showPTX() error {
	at := s.where()
	if at == nil {
		return errNoThread
	}
	const context = 8
	list := s.code.funcs[at.Func]
	for i := max(0, at.Index-context); i < min(len(list), at.Index+context+1); i++ {
		mark := " "
		if i == at.Index {
			mark = "*"
		}
		fmt.Fprintln(s.out, plain.Text(fmt.Sprintf("%s%5d  %-48v %v", mark, list[i].Pos.Line, list[i].Instr, list[i].source)))
	}
	return nil
}

// showStack prints the calls of the thread in focus, the innermost first: the calls of functions that
// are inlined, and of functions in PTX.
func (s *Session) showStack() error {
	_, g, ok := s.group()
	if !ok {
		return errNoThread
	}
	n := 0
	frame := func(text string) {
		fmt.Fprintf(s.out, "#%d  %s\n", n, plain.Text(text))
		n++
	}
	frame(s.siteText(g.Site))
	if g.Site != nil {
		for _, p := range g.Site.Stack {
			at := place{p.File, p.Line}
			frame(fmt.Sprintf("%v  %s", at, strings.TrimSpace(s.text(at))))
		}
	}
	for _, f := range g.Frames[1:] {
		frame("called from " + f.Func)
	}
	return nil
}
