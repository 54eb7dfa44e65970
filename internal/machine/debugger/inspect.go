package debugger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/timeline"
	"github.com/gridstride/gridstride/internal/ptx"
)

// printCommand shows a variable, a register, a parameter or memory.
func (s *Session) printCommand(_ context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("print needs a name")
	}
	v, err := s.Evaluate(args[0])
	if err == nil {
		fmt.Fprintf(s.out, "%s = %s\n", v.Name, v.Text)
	}
	return err
}

// threadValue is a variable or register of the warp in focus, in a lane. ok is false for a name that
// is none.
func (s *Session) threadValue(name string, lane int) (text string, ok bool, err error) {
	_, g, running := s.group()
	reg := strings.HasPrefix(name, "%")
	if !running {
		_, memory := s.named(name)
		if reg || !memory && len(s.set.Variables.registersOf(s.launch.Entry.Name, name)) > 0 {
			return "", false, errNoThread
		}
		return "", false, nil
	}
	if reg {
		text, err = s.value(&g, name, lane)
		return text, err == nil, err
	}
	if g.Site == nil || len(s.set.Variables.registersOf(g.Site.Func, name)) == 0 {
		return "", false, nil
	}
	holder := s.register(g.Site, name)
	if holder == "" {
		return "", false, fmt.Errorf("%s is in no register here: nothing that follows needs it, or nothing has set it", name)
	}
	text, err = s.value(&g, holder, lane)
	return text, err == nil, err
}

// argument is a parameter of the kernel that is no memory to show.
func (s *Session) argument(name string) (text string, ok bool) {
	e := s.launch.Entry
	for i := range e.Params {
		p := &e.Params[i]
		if p.Name != name || p.Size > 8 || p.Name == abi.FaultParam {
			continue
		}
		if _, memory := s.named(name); memory {
			return "", false
		}
		if p.Type == ptx.U64 || p.Type == ptx.B64 {
			return s.registerText(p.Type, word(s.parameter(p)), 0, 64), true
		}
		return numberText(p.Type, s.parameter(p)), true
	}
	return "", false
}

// lanesCommand shows a variable or register of every lane that is where the thread in focus is.
func (s *Session) lanesCommand(_ context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("lanes needs a variable or a register")
	}
	list, err := s.Lanes(args[0])
	for _, v := range list {
		fmt.Fprintf(s.out, "  %s  %s\n", v.Name, v.Text)
	}
	return err
}

// localsCommand shows the variables that are in registers.
func (s *Session) localsCommand(context.Context, []string) error {
	list, err := s.Locals()
	if err == nil && len(list) == 0 {
		fmt.Fprintln(s.out, "no variable is in a register here")
	}
	for _, v := range list {
		fmt.Fprintf(s.out, "  %s = %s\n", v.Name, v.Text)
	}
	return err
}

// argsCommand shows the kernel's parameters.
func (s *Session) argsCommand(context.Context, []string) error {
	for _, v := range s.Arguments() {
		fmt.Fprintf(s.out, "  %s = %s\n", v.Name, v.Text)
	}
	return nil
}

// beginning is the first elements of a buffer.
func (s *Session) beginning(o object) string {
	const shown = 8
	step := o.step()
	whole := o.Size
	if step > 0 {
		o.Size = min(o.Size, shown*step)
	}
	b, err := s.read(o.Place)
	if err != nil {
		return err.Error()
	}
	text := memoryText(o.elem, o.of, b)
	if whole > o.Size {
		text += " …"
	}
	return text
}

// regsCommand shows the registers of the thread in focus.
func (s *Session) regsCommand(context.Context, []string) error {
	list, err := s.Registers()
	for _, v := range list {
		fmt.Fprintf(s.out, "  %-6s = %s\n", v.Name, v.Text)
	}
	return err
}

// registerNames are the registers that a function declares.
func (s *Session) registerNames(fn string) (names []string) {
	for _, d := range s.launch.Entry.Module.Decls {
		f, ok := d.(*ptx.Func)
		if !ok || f.Name != fn || f.Body == nil {
			continue
		}
		for _, stmt := range f.Body.Stmts {
			regs, ok := stmt.(*ptx.Regs)
			if !ok {
				continue
			}
			for _, name := range regs.Names {
				if regs.Count == 0 {
					names = append(names, name)
				}
				for i := range regs.Count {
					names = append(names, fmt.Sprint(name, i))
				}
			}
		}
	}
	return names
}

// whoCommand says who wrote to memory last.
func (s *Session) whoCommand(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("who needs a place")
	}
	o, err := s.placeOf(args[0])
	if err != nil {
		return err
	}
	n := 1
	if len(args) > 1 {
		if n, err = positive(args[1]); err != nil {
			return err
		}
	}
	now := s.line.Now()
	var a timeline.Access
	for i := range n {
		var ok bool
		if a, ok, err = s.line.LastAccess(ctx, o.Place, timeline.Writes...); err != nil || !ok {
			if i == 0 && err == nil {
				fmt.Fprintf(s.out, "no thread has written %s before now\n", o.name)
			}
			break
		}
		fmt.Fprintln(s.out, s.accessText(&a))
		if err = s.line.Seek(ctx, a.At); err != nil {
			break
		}
	}
	return errors.Join(err, s.line.Seek(context.WithoutCancel(ctx), now))
}
