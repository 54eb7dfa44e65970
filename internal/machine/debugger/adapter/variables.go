package adapter

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-dap"
	"github.com/gridstride/gridstride/internal/machine/debugger"
)

// reference is values that a client may ask for by a number: the values in a scope, or the parts of a value.
type reference struct {
	scope string
	focus debugger.Focus
	name  string // of the value, for parts and lanes
}

// The scopes that are parts of values.
const (
	partsScope = "parts"
	lanesScope = "lanes"
)

// scopeNames are the scopes of a frame.
var scopeNames = []string{"Lane variables", "Arguments", "Shared memory", "Global buffers", "Registers"}

const (
	mostReferences = 1 << 16
	mostVariables  = 10_000 // in an answer
	mostText       = 4096   // bytes of a value
)

// refer is the number of a reference, 0 if there are too many.
func (v *server) refer(r reference) int {
	if n, ok := v.numbers[r]; ok {
		return n
	}
	if len(v.refs) >= mostReferences {
		return 0
	}
	v.refs = append(v.refs, r)
	v.numbers[r] = len(v.refs)
	return len(v.refs)
}

// inFrame is the thread of a frame.
func (v *server) inFrame(id int) (debugger.Focus, error) {
	if id < 1 || id > len(v.frames) {
		return debugger.Focus{}, fmt.Errorf("there is no frame %d now", id)
	}
	return v.frames[id-1].focus, nil
}

func (v *server) scopes(req *dap.ScopesRequest) error {
	f, err := v.inFrame(req.Arguments.FrameId)
	if err != nil {
		return err
	}
	to := &dap.ScopesResponse{}
	for i, name := range scopeNames {
		scope := dap.Scope{Name: name, VariablesReference: v.refer(reference{scope: name, focus: f})}
		if i == 0 {
			scope.PresentationHint = "locals"
		}
		if name == "Registers" {
			scope.PresentationHint, scope.Expensive = "registers", true
		}
		to.Body.Scopes = append(to.Body.Scopes, scope)
	}
	v.wire.answer(req, to)
	return nil
}

func (v *server) variables(req *dap.VariablesRequest) error {
	a := &req.Arguments
	if a.VariablesReference < 1 || a.VariablesReference > len(v.refs) {
		return fmt.Errorf("there are no variables %d now", a.VariablesReference)
	}
	r := v.refs[a.VariablesReference-1]
	to := &dap.VariablesResponse{Body: dap.VariablesResponseBody{Variables: []dap.Variable{}}}
	err := v.looking(r.focus, func() error {
		list, indexed, err := v.values(&r, a.Start, a.Count)
		if a.Filter == "indexed" && !indexed || a.Filter == "named" && indexed {
			list = nil
		}
		for _, value := range list[:min(len(list), mostVariables)] {
			to.Body.Variables = append(to.Body.Variables, v.variable(&r, &value))
		}
		return err
	})
	if err == nil {
		v.wire.answer(req, to)
	}
	return err
}

// values are the values of a reference: count from start on, all for 0. indexed says that they are elements.
func (v *server) values(r *reference, start, count int) (list []debugger.Value, indexed bool, err error) {
	switch r.scope {
	case partsScope:
		list, err = v.debug.Parts(r.name, start, count)
		return list, len(list) > 0 && strings.HasPrefix(list[0].Name, "["), err
	case lanesScope:
		list, err = v.debug.Lanes(r.name)
	case "Lane variables":
		if list, err = v.debug.Locals(); err != nil {
			list, err = []debugger.Value{{Name: "(none)", Text: err.Error()}}, nil
		}
	case "Registers":
		if list, err = v.debug.Registers(); err != nil {
			list, err = []debugger.Value{{Name: "(none)", Text: err.Error()}}, nil
		}
	case "Arguments":
		list = v.debug.Arguments()
	case "Shared memory":
		list = v.debug.Shared()
	case "Global buffers":
		list = v.debug.Buffers()
	}
	return page(list, start, count), false, err
}

// variable is a value, for the client. A variable of a lane has its values in the other lanes as parts.
func (v *server) variable(r *reference, value *debugger.Value) dap.Variable {
	to := dap.Variable{Name: value.Name, Value: short(value.Text), EvaluateName: value.Name}
	switch {
	case value.Whole != "":
		to.EvaluateName = value.Whole
		to.VariablesReference = v.refer(reference{partsScope, r.focus, value.Whole})
		to.IndexedVariables, to.NamedVariables = value.Elements, value.Fields
	case r.scope == partsScope || r.scope == lanesScope || strings.HasPrefix(value.Name, "("):
		to.EvaluateName = ""
	case r.scope == "Lane variables" || r.scope == "Registers":
		to.VariablesReference = v.refer(reference{lanesScope, r.focus, value.Name})
	}
	return to
}

// short is a text of at most mostText bytes and an ellipsis.
func short(text string) string {
	if len(text) <= mostText {
		return text
	}
	return strings.ToValidUTF8(text[:mostText], "") + "…"
}

// evaluate shows a value. The console takes any command of the debugger.
func (v *server) evaluate(ctx context.Context, req *dap.EvaluateRequest) error {
	a := &req.Arguments
	f := v.debug.Position().Focus
	if a.FrameId != 0 {
		in, err := v.inFrame(a.FrameId)
		if err != nil {
			return err
		}
		if !sameWarp(in, f) {
			f = in
		}
	}
	if a.Context == "repl" {
		return v.typed(ctx, req, f)
	}
	return v.looking(f, func() error {
		value, err := v.debug.Evaluate(strings.TrimSpace(a.Expression))
		if err != nil {
			return err
		}
		shown := v.variable(&reference{scope: partsScope, focus: f}, &value)
		v.wire.answer(req, &dap.EvaluateResponse{Body: dap.EvaluateResponseBody{
			Result: shown.Value, VariablesReference: shown.VariablesReference,
			IndexedVariables: shown.IndexedVariables, NamedVariables: shown.NamedVariables,
		}})
		return nil
	})
}

// typed does a command, or shows the value of what is none.
func (v *server) typed(ctx context.Context, req *dap.EvaluateRequest, f debugger.Focus) error {
	if err := v.debug.Look(f); err != nil {
		return err
	}
	before := v.debug.Position()
	quit := false
	err := v.while(ctx, func(ctx context.Context) (err error) {
		quit, err = v.debug.Do(ctx, req.Arguments.Expression)
		return err
	})
	text := v.said.take()
	if err != nil && !quit {
		value, other := v.debug.Evaluate(strings.TrimSpace(req.Arguments.Expression))
		switch {
		case other == nil:
			text, err = value.Text, nil
		case errors.Is(err, errPaused):
			err = nil
		}
	}
	if err != nil && !quit {
		return err
	}
	v.wire.answer(req, &dap.EvaluateResponse{Body: dap.EvaluateResponseBody{Result: text}})
	after := v.debug.Position()
	switch {
	case quit:
		if _, other := v.debug.Wanted(); other {
			v.leave()
		} else {
			v.finish()
		}
	case before.Time != after.Time || before.Focus != after.Focus || before.Ended != after.Ended:
		v.forget()
		v.stopped(after)
	}
	return nil
}
