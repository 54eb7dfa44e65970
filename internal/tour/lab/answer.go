package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
)

// Request asks for one step of the work with a program. A page asks for one after the other, so that
// it can show each answer at once.
type Request struct {
	Do       string  `json:"do"` // compile, run, check, look or exercise
	Text     string  `json:"text"`
	Launch   Launch  `json:"launch"`
	Look     Look    `json:"look"`
	Exercise *Course `json:"exercise,omitempty"`
}

// answer is the answer to a request: one of its fields is set.
type answer struct {
	Compiled *Compiled `json:"compiled,omitempty"`
	Result   *Result   `json:"result,omitempty"`
	Verdict  *Verdict  `json:"verdict,omitempty"`
	Moment   *Moment   `json:"moment,omitempty"`
	Graded   *Grade    `json:"graded,omitempty"`
	Fault    string    `json:"fault,omitempty"` // of gridstride
}

// Answer answers a Request that is written in JSON, in JSON.
func (l *Lab) Answer(request string) string {
	var a answer
	l.turn.Lock()
	defer l.turn.Unlock()
	func() {
		defer func() {
			if r := recover(); r != nil {
				a = answer{Fault: fmt.Sprintf("%v\n%s", r, debug.Stack())}
			}
		}()
		var r Request
		if err := json.Unmarshal([]byte(request), &r); err != nil {
			a.Fault = fmt.Sprintf("the request is no JSON: %v", err)
			return
		}
		l.do(&r, &a)
	}()
	text, err := json.Marshal(&a)
	if err != nil {
		text, _ = json.Marshal(answer{Fault: fmt.Sprintf("BUG: the answer is no JSON: %v", err)}) // a string always is
	}
	return string(text)
}

func (l *Lab) do(r *Request, a *answer) {
	ctx := context.Background()
	switch r.Do {
	case "compile":
		a.Compiled = l.program(r.Text)
	case "run":
		a.Result = l.program(r.Text).Run(ctx, r.Launch, nil)
	case "check":
		a.Verdict = l.program(r.Text).Check(ctx, r.Launch)
	case "look":
		a.Moment = l.Look(ctx, r.Text, r.Launch, r.Look)
	case "exercise":
		if r.Exercise == nil {
			a.Fault = "the request has no exercise"
			return
		}
		a.Graded = l.Grade(ctx, r.Exercise, r.Text)
	default:
		a.Fault = fmt.Sprintf("there is no step %q", r.Do)
	}
}

// program compiles a text, unless it was the last that it compiled.
func (l *Lab) program(text string) *Compiled {
	if l.last == nil || l.last.text != text {
		l.last = l.Compile(text)
	}
	return l.last
}
