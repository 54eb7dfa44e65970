package decode

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Unknown is the error of an instruction that the simulator does not have.
const Unknown = "the simulator does not know this instruction"

// irregular decodes the instructions whose operands are not just a destination and inputs. Whether
// they end a basic block, the effect table of package ptx says.
var irregular = map[string]func(*decoder){
	"set":        (*decoder).set,
	"setp":       (*decoder).setp,
	"lop3":       (*decoder).lop3,
	"mov":        (*decoder).mov,
	"cvt":        (*decoder).cvt,
	"cvta":       (*decoder).cvta,
	"isspacep":   (*decoder).isspacep,
	"mapa":       (*decoder).mapa,
	"getctarank": (*decoder).getctarank,
	// A cache policy, which nothing here looks at.
	"createpolicy": func(d *decoder) { d.zero(ptx.B64) },
	"activemask":   func(d *decoder) { d.emit(d.inst(), to(d.dest(d.in.Args[0], ptx.B32))) },
	"nanosleep":    func(d *decoder) { d.emit(d.inst(), nil) },

	"ld":        (*decoder).load,
	"ldu":       (*decoder).load,
	"st":        (*decoder).store,
	"atom":      (*decoder).atomic,
	"red":       (*decoder).atomic,
	"cp":        (*decoder).asyncCopy,
	"mbarrier":  (*decoder).mbarrier,
	"tensormap": (*decoder).tensorMap,
	"membar":    (*decoder).fence,
	"fence":     (*decoder).fence,

	"bra":        (*decoder).bra,
	"brx":        (*decoder).brx,
	"call":       (*decoder).call,
	"ret":        (*decoder).terminate,
	"exit":       (*decoder).terminate,
	"trap":       (*decoder).terminate,
	"brkpt":      (*decoder).terminate,
	"bar":        (*decoder).barrier,
	"barrier":    (*decoder).barrier,
	"shfl":       (*decoder).shfl,
	"vote":       (*decoder).vote,
	"match":      (*decoder).match,
	"redux":      (*decoder).redux,
	"elect":      (*decoder).elect,
	"setmaxnreg": (*decoder).wholeWarp,
	"wgmma":      (*decoder).wgmma,
	"mma":        (*decoder).mma,
	"wmma":       (*decoder).wmma,
	"ldmatrix":   (*decoder).loadMatrix,
	"stmatrix":   (*decoder).storeMatrix,

	"vadd":      (*decoder).video,
	"vsub":      (*decoder).video,
	"vabsdiff":  (*decoder).video,
	"vmin":      (*decoder).video,
	"vmax":      (*decoder).video,
	"vshl":      (*decoder).video,
	"vshr":      (*decoder).video,
	"vmad":      (*decoder).video,
	"vset":      (*decoder).video,
	"vadd2":     (*decoder).video,
	"vsub2":     (*decoder).video,
	"vavrg2":    (*decoder).video,
	"vabsdiff2": (*decoder).video,
	"vmin2":     (*decoder).video,
	"vmax2":     (*decoder).video,
	"vset2":     (*decoder).video,
	"vadd4":     (*decoder).video,
	"vsub4":     (*decoder).video,
	"vavrg4":    (*decoder).video,
	"vabsdiff4": (*decoder).video,
	"vmin4":     (*decoder).video,
	"vmax4":     (*decoder).video,
	"vset4":     (*decoder).video,

	"tex":  (*decoder).texture,
	"tld4": (*decoder).texture,
	"suld": (*decoder).surfaceLoad,
	"sust": (*decoder).surfaceStore,
	"txq":  (*decoder).query,
	"suq":  (*decoder).query,

	"alloca":       unknown,
	"stacksave":    unknown,
	"stackrestore": unknown,
}

func unknown(d *decoder) { d.failf("%s", Unknown) }

// plain decodes an instruction of a destination and inputs by its operand forms.
func (d *decoder) plain() {
	if len(d.d.Operands) == 0 {
		unknown(d)
	}
	args := d.inputs()
	d.emit(d.inst(), to(d.dest(d.in.Args[0], d.d.Operands[0].Type)), args...)
}

// inputs are the operands that are read of an instruction whose first operand is the destination.
func (d *decoder) inputs() []code.Slot {
	var list []code.Slot
	for i, o := range d.d.Operands[1:] {
		list = append(list, d.operand(d.in.Args[i+1], o.Type))
	}
	return list
}

// zero decodes an instruction whose result is zero here.
func (d *decoder) zero(t ptx.Type) {
	d.copy(d.dest(d.in.Args[0], t), d.constant(t, 0))
}

func (d *decoder) set() {
	c := d.predicateOr(3)
	dst := d.dest(d.in.Args[0], d.d.Type)
	a, b := d.operand(d.in.Args[1], d.d.SrcType), d.operand(d.in.Args[2], d.d.SrcType)
	d.emit(d.inst(), to(dst), a, b, c)
}

// setp has a second result when it is written, and when another predicate is combined with both.
func (d *decoder) setp() {
	p, q := d.destPair(d.in.Args[0], ptx.Pred, ptx.Pred)
	a, b := d.operand(d.in.Args[1], d.d.Type), d.operand(d.in.Args[2], d.d.Type)
	_, two := d.in.Args[0].(ptx.Pair)
	if pairs := d.d.Type == ptx.F16x2 || d.d.Type == ptx.BF16x2; two || pairs || d.d.Mod("bool") != "" {
		d.emit(d.inst(), to(p, q), a, b, d.predicateOr(3))
		return
	}
	d.emit(d.inst(), to(p), a, b)
}

// predicateOr returns the i-th operand, a predicate, or false if there is none.
func (d *decoder) predicateOr(i int) code.Slot {
	if i < len(d.in.Args) {
		return d.operand(d.in.Args[i], ptx.Pred)
	}
	return d.constant(ptx.Pred, 0)
}

// lop3 with a Boolean operation also gives a predicate: whether the result is not zero, combined
// with another.
func (d *decoder) lop3() {
	args := []code.Slot{
		d.operand(d.in.Args[1], ptx.B32), d.operand(d.in.Args[2], ptx.B32), d.operand(d.in.Args[3], ptx.B32),
	}
	in := step(ptx.OpLop3, ptx.B32)
	in.Imm = d.in.Args[4].(ptx.Int).Bits
	combine := d.d.Mod("bool")
	if combine == "" {
		d.emit(in, to(d.dest(d.in.Args[0], ptx.B32)), args...)
		return
	}
	dst, p := d.destPair(d.in.Args[0], ptx.B32, ptx.Pred)
	q := d.operand(d.in.Args[5], ptx.Pred)
	tmp := d.fn.File.Alloc(32)
	d.emit(in, to(tmp), args...)
	d.copy(dst, tmp)
	test := step(ptx.OpSetp, ptx.B32)
	test.Compare, test.Combine = code.NE, code.Combine(combine)
	test.Text = ".ne." + combine + test.Text
	d.emit(test, to(p, d.fn.File.Alloc(1)), tmp, d.constant(ptx.B32, 0), q)
}

// video decodes a video instruction: three inputs (the third is 0 if there is none), the selectors
// of the result and of the inputs, and which inputs are negated.
func (d *decoder) video() {
	in := d.inst()
	selectors := [...]*code.Selector{&in.DSel, &in.ASel, &in.BSel, new(code.Selector)}
	negated := [...]code.Flags{0, code.NegateA, code.NegateB, code.NegateC}
	var args []code.Slot
	for i, o := range d.in.Args {
		plain, selector, minus := ptx.Selected(o)
		if selector != "" {
			*selectors[i] = code.Selector(selector)
			in.Text += "." + selector
		}
		if minus {
			in.Flags |= negated[i]
			in.Text += ".-" + string("dabc"[i])
		}
		if i > 0 {
			args = append(args, d.operand(plain, ptx.B32))
		}
	}
	if len(args) < 3 {
		args = append(args, d.constant(ptx.B32, 0))
	}
	plain, _, _ := ptx.Selected(d.in.Args[0])
	d.emit(in, to(d.dest(plain, ptx.B32)), args...)
}
