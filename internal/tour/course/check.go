package course

import (
	"context"
	"errors"
	"fmt"

	"github.com/gridstride/gridstride/internal/tour/lab"
)

// Check tests the exercise itself: its solution must pass within all limits and pars, and its start must
// compile and must not pass.
func (x *Exercise) Check(ctx context.Context, l *lab.Lab) error {
	g := l.Grade(ctx, &x.Course, x.Solution)
	if err := explain(g); err != nil {
		return fmt.Errorf("the solution fails: %w", err)
	}
	for _, c := range g.Counted {
		if !c.OK {
			return fmt.Errorf("the solution has %d %s, and the par is %d", c.Got, c.Count, c.Most)
		}
	}
	start := l.Grade(ctx, &x.Course, x.Start)
	if len(start.Errors) > 0 {
		return fmt.Errorf("start.go does not compile: line %d: %s", start.Errors[0].Line, start.Errors[0].Message)
	}
	if start.Passed {
		return errors.New("start.go passes already")
	}
	return nil
}

// explain says why a program does not pass; nil if it does.
func explain(g *lab.Grade) error {
	if g.Passed {
		return nil
	}
	if len(g.Errors) > 0 {
		return fmt.Errorf("line %d: %s", g.Errors[0].Line, g.Errors[0].Message)
	}
	for _, t := range g.Trials {
		if !t.OK {
			return fmt.Errorf("%s: %s", t.Name, t.Why)
		}
	}
	for _, c := range g.Counted {
		if !c.OK && !c.Par {
			return fmt.Errorf("it has %d %s, and at most %d are allowed", c.Got, c.Count, c.Most)
		}
	}
	return errors.New("it has no tests")
}
