package ptx

// This file has the operand of texture instructions: [%rd1, {%f1, %f2}], the handle of a texture
// object and the coordinates of a point.

// texelForms are the coordinates by the dimensions of a texture: how many there are, and how many
// of them count. An array of layers has the layer before them.
var texelForms = map[string]struct {
	written, used int
	layered       bool
}{
	"1d": {1, 1, false}, "2d": {2, 2, false}, "3d": {4, 3, false}, "a1d": {2, 1, true}, "a2d": {4, 2, true},
}

// TexelParts takes the operand of a texture instruction apart: the handle, the layer, nil where
// there is none, and the coordinates. They are all nil where the operand is another one.
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

// texture checks the handle of a texture and the coordinates.
func (v *verifier) texture(in *Instr, d *Decoded, arg Operand) {
	handle, layer, coordinates := d.TexelParts(arg)
	if handle == nil {
		v.instrError(in, "%s needs the handle of a texture and %d coordinates, [%%rd1, {%%f1, …}], not %s", in.Opcode(),
			texelForms[d.Mod("dim")].written, OperandString(arg))
		return
	}
	v.scalar(in, OperandForm{Type: U64}, handle)
	if layer != nil {
		v.scalar(in, OperandForm{Type: B32}, layer)
	}
	for _, x := range coordinates {
		v.scalar(in, OperandForm{Type: d.SrcType}, x)
	}
}
