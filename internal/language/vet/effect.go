package vet

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
)

// EffectKind is the kind of an operation that threads must do together.
type EffectKind uint8

// The kinds of effects.
const (
	Barrier        EffectKind = iota // all threads of the block meet
	NamedBarrier                     // warps of the block meet, each with all its lanes
	ClusterBarrier                   // all threads of the cluster meet
	GridBarrier                      // all threads of the grid meet
	WarpOp                           // all lanes of the mask meet
	ParameterCall                    // a call of a function that was passed in, with its own effects
)

// Effect is an operation of a function that threads must reach together, and the dependence of the
// branches that decide whether a thread reaches it.
type Effect struct {
	Kind    EffectKind
	Name    string // "gpu.SyncThreads"
	At      string // "block.go:42"
	Control Dependence
	// Mask is the parameter that is the mask of a WarpOp, -1 for all lanes.
	Mask int
	// Callee is the parameter that a ParameterCall calls, and Args are the dependences of its
	// arguments' parts.
	Callee int
	Args   []parts
}

// divergence is an effect that some threads do not reach: a finding, at an instruction of the
// function.
type divergence struct {
	effect Effect
	at     ssa.CallInstruction
	u      *uniformity
}

// diverges reports whether some threads may miss the operation that they must reach together,
// whatever the arguments are.
func (e *Effect) diverges() bool {
	switch e.Kind {
	case Barrier:
		return e.Control.Own&perThread != 0
	case ClusterBarrier:
		return e.Control.Own&inCluster != 0
	case GridBarrier:
		return e.Control.Own != 0
	case NamedBarrier, WarpOp:
		return e.Control.Own&PerLane != 0
	}
	return false
}

// effects collects the effects of a function and of the functions that it calls. Those that diverge
// become findings. The callers judge the others.
func (s *summaries) effects(u *uniformity) []Effect {
	var open []Effect
	for call := range calls(u.fn) {
		for _, e := range s.callEffects(u, call) {
			e.Control = e.Control.or(u.blocks[call.Block().Index])
			switch {
			case e.diverges():
				s.found = append(s.found, divergence{e, call, u})
			case u.kernel == nil: // nobody calls a kernel
				open = append(open, e)
			}
		}
	}
	return open
}

// callEffects are the effects of a call, seen from the calling function. Whether that function
// makes the call is not part of them.
func (s *summaries) callEffects(u *uniformity, in ssa.CallInstruction) []Effect {
	call := in.Common()
	if own := gpuFunc(call); own != nil {
		return s.ownEffect(u, in, own)
	}
	if i := slices.Index(parameters(u.fn), call.Value); i >= 0 {
		return []Effect{{Kind: ParameterCall, Callee: i, Args: u.arguments(call)}}
	}
	sum := s.of(call.StaticCallee())
	if sum == nil {
		return nil
	}
	values, args := operandsOf(call), flatten(u.arguments(call), parameterTypes(call.StaticCallee()))
	var list []Effect
	for _, e := range sum.Effects {
		e.Control = e.Control.with(args)
		switch e.Kind {
		case WarpOp:
			if e.Mask >= 0 {
				mask, ok := maskOf(u, values[e.Mask])
				if !ok {
					continue
				}
				e.Mask = mask
			}
		case ParameterCall:
			list = append(list, s.passedEffects(u, e, values, args)...)
			continue
		}
		list = append(list, e)
	}
	return list
}

// ownEffect is the effect of a call of package gpu.
func (s *summaries) ownEffect(u *uniformity, call ssa.CallInstruction, in *abi.Intrinsic) []Effect {
	e := Effect{Name: "gpu." + in.Name, At: s.lineOf(call.Pos())}
	switch in.Together {
	case abi.BlockThreads:
		e.Kind = Barrier
	case abi.ClusterThreads:
		e.Kind = ClusterBarrier
	case abi.CountThreads:
		e.Kind = NamedBarrier
	case abi.WarpThreads, abi.WarpgroupThreads: // the warps of a group may take different branches to it
		e.Kind, e.Mask = WarpOp, -1
	case abi.GridThreads:
		e.Kind = GridBarrier
	case abi.MaskThreads:
		mask, ok := maskOf(u, call.Common().Args[0])
		if !ok {
			return nil
		}
		e.Kind, e.Mask = WarpOp, mask
	default:
		return nil
	}
	return []Effect{e}
}

// maskOf is -1 for the mask of all lanes, and the number of the parameter where the mask is a
// parameter. Nothing is said of other masks: a vote may have made them to fit.
func maskOf(u *uniformity, v ssa.Value) (int, bool) {
	if isFullMask(v) {
		return -1, true
	}
	i := slices.Index(parameters(u.fn), v)
	return i, i >= 0
}

// passedEffects are the effects of a function that was passed as an argument and that the callee
// calls. Functions that are passed to that function in turn are not followed.
func (s *summaries) passedEffects(u *uniformity, e Effect, values []ssa.Value, args []Dependence) []Effect {
	var inner []parts
	for _, arg := range e.Args {
		var p parts
		for _, d := range arg {
			p = append(p, d.with(args))
		}
		inner = append(inner, p)
	}
	passed := values[e.Callee]
	if i := slices.Index(parameters(u.fn), passed); i >= 0 {
		e.Callee, e.Args = i, inner
		return []Effect{e}
	}
	fn, ok := passed.(*ssa.Function)
	if literal, isLiteral := passed.(*ssa.MakeClosure); isLiteral {
		fn, ok = literal.Fn.(*ssa.Function), true
		for _, v := range literal.Bindings {
			inner = append(inner, u.parts(v))
		}
	}
	sum := s.of(fn)
	if !ok || sum == nil {
		return nil
	}
	row := flatten(inner, parameterTypes(fn))
	var list []Effect
	for _, in := range sum.Effects {
		if in.Kind == ParameterCall || in.Mask >= 0 && in.Kind == WarpOp {
			continue
		}
		in.Control = in.Control.with(row).or(e.Control)
		list = append(list, in)
	}
	return list
}

// lineOf is a position as findings name it: "block.go:42".
func (d *device) lineOf(pos token.Pos) string {
	p := d.fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}
