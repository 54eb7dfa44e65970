package ptx

// This file has the operands of texture and surface instructions: [%rd1, {%f1, %f2}], the handle of
// an object and the coordinates of a point, and [%rd1], the handle alone.

// texelForms are the coordinates by the dimensions of a texture: how many there are, how many of
// them count, and how many slopes of them tex.grad has. Layers have their number before them.
var texelForms = map[string]struct {
	written, used int
	layered       bool
	slopes        int
}{
	"1d": {1, 1, false, 1}, "2d": {2, 2, false, 2}, "3d": {4, 3, false, 4}, "a1d": {2, 1, true, 1}, "a2d": {4, 2, true, 2},
	"cube": {4, 3, false, 4}, "acube": {4, 3, true, 4},
}

// TexelParts takes the operand of a texture or surface instruction apart: the handle, the layer, nil
// for a form without layers, and the coordinates. They are all nil where the operand is another one.
func (d *Decoded) TexelParts(o Operand) (handle, layer Operand, coordinates []Operand) {
	t, ok := o.(Texel)
	form := texelForms[d.Mod("dim")]
	if !ok || len(t) != 2 {
		return nil, nil, nil
	}
	vec, ok := t[1].(Vec)
	if !ok {
		vec = Vec{t[1]}
	}
	if len(vec) != form.written {
		return nil, nil, nil
	}
	if form.layered {
		layer, vec = vec[0], vec[1:]
	}
	return t[0], layer, vec[:form.used]
}

// texture checks the handle of a texture or surface and the coordinates.
func (v *verifier) texture(in *Instr, d *Decoded, o OperandForm, arg Operand) {
	handle, layer, coordinates := d.TexelParts(arg)
	if t, ok := arg.(Texel); ok && len(t) == 3 {
		v.instrError(in, "a separate sampler is not supported, %s: a texture object has its sampler, [%s, %s]", OperandString(t[1]), OperandString(t[0]), OperandString(t[2]))
		return
	}
	if handle == nil {
		what := "texture"
		if in.Op == "suld" || in.Op == "sust" {
			what = "surface"
		}
		v.instrError(in, "%s needs the handle of a %s and %d coordinates, [%%rd1, {%%%c1, …}], not %s", in.Opcode(), what,
			texelForms[d.Mod("dim")].written, map[Type]rune{F32: 'f', S32: 'r'}[o.Type], OperandString(arg))
		return
	}
	v.scalar(in, OperandForm{Type: U64}, handle)
	if layer != nil {
		v.scalar(in, OperandForm{Type: B32}, layer)
	}
	for _, x := range coordinates {
		v.scalar(in, OperandForm{Type: o.Type}, x)
	}
}

// HandlePart is the handle in an operand that is nothing else, nil if it is another operand.
func HandlePart(o Operand) Operand {
	a, ok := o.(Addr)
	if name, isName := a.Base.(Name); ok && isName && a.Offset == 0 {
		return name
	}
	return nil
}

// handle checks the handle of a texture or surface.
func (v *verifier) handle(in *Instr, arg Operand) {
	handle := HandlePart(arg)
	if handle == nil {
		v.instrError(in, "%s needs the handle of an object, [%%rd1], not %s", in.Opcode(), OperandString(arg))
		return
	}
	v.scalar(in, OperandForm{Type: U64}, handle)
}

// slopes checks the slopes of the coordinates of tex.grad.
func (v *verifier) slopes(in *Instr, d *Decoded, o OperandForm, arg Operand) {
	vec, ok := arg.(Vec)
	if !ok {
		vec = Vec{arg}
	}
	if want := texelForms[d.Mod("dim")].slopes; len(vec) != want {
		v.instrError(in, "%s has %d slopes of coordinates, not %d: %s", in.Opcode(), want, len(vec), OperandString(arg))
		return
	}
	for _, x := range vec {
		v.scalar(in, o, x)
	}
}
