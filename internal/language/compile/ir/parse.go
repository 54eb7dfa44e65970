package ir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// Parse reads the text form of a function, see Func.String. Lines that are empty or start with #
// are skipped. Tests of passes are written in it. An error names the line.
func Parse(text string) (*Func, error) {
	p := &parser{values: map[int]*Value{}, defined: map[int]bool{}, blocks: map[int]*Block{},
		params: map[string]int{}, vars: map[string]*Var{}}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		toks, err := tokens(line)
		if err == nil {
			err = p.line(toks)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w: %s", i+1, err, line)
		}
	}
	return p.finish()
}

// MustParse is Parse for text known to be right. It panics otherwise.
func MustParse(text string) *Func {
	f, err := Parse(text)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return f
}

type parser struct {
	f       *Func
	block   *Block
	values  map[int]*Value
	defined map[int]bool
	blocks  map[int]*Block
	params  map[string]int
	vars    map[string]*Var
	preds   []predList
}

// predList is the predecessors that a block's label names.
type predList struct {
	block *Block
	preds []*Block
}

// tokens splits a line at spaces and commas. A quoted string stays whole, joined with what precedes
// it (name="x").
func tokens(line string) ([]string, error) {
	var toks []string
	for line != "" {
		line = strings.TrimLeft(line, " \t,")
		if line == "" {
			break
		}
		end := strings.IndexAny(line, " \t,\"")
		if end < 0 {
			end = len(line)
		}
		if strings.HasPrefix(line, "block=") { // the one token with commas inside
			if end = strings.IndexAny(line, " \t"); end < 0 {
				end = len(line)
			}
		} else if end < len(line) && line[end] == '"' {
			q, err := strconv.QuotedPrefix(line[end:])
			if err != nil {
				return nil, fmt.Errorf("bad string")
			}
			end += len(q)
		}
		toks = append(toks, line[:end])
		line = line[end:]
	}
	return toks, nil
}

func (p *parser) line(toks []string) error {
	if toks[0] == "func" {
		return p.header(toks)
	}
	if p.f == nil {
		return fmt.Errorf("func expected")
	}
	switch {
	case toks[0] == "file" && len(toks) == 2:
		name, err := strconv.Unquote(toks[1])
		p.f.Files = append(p.f.Files, name)
		return err
	case toks[0] == "param" && len(toks) >= 3:
		return p.param(toks)
	case toks[0] == "var" && len(toks) >= 3:
		return p.variable(toks)
	case strings.HasSuffix(toks[0], ":"):
		return p.label(toks)
	}
	if p.block == nil {
		return fmt.Errorf("instruction outside a block")
	}
	return p.instr(toks)
}

func (p *parser) header(toks []string) (err error) {
	if len(toks) < 3 {
		return fmt.Errorf("func NAME \"GONAME\" expected")
	}
	p.f = &Func{Name: toks[1]}
	if p.f.GoName, err = strconv.Unquote(toks[2]); err != nil {
		return err
	}
	for _, t := range toks[3:] {
		switch {
		case t == "nobounds":
			p.f.NoBounds = true
		case strings.HasPrefix(t, "block="):
			d := &p.f.BlockDim
			if _, err := fmt.Sscanf(t, "block=%d,%d,%d", &d[0], &d[1], &d[2]); err != nil {
				return err
			}
		case strings.HasPrefix(t, "cluster="):
			d := &p.f.Cluster
			if _, err := fmt.Sscanf(t, "cluster=%d,%d,%d", &d[0], &d[1], &d[2]); err != nil {
				return err
			}
		case strings.HasPrefix(t, "minblocks="):
			if _, err := fmt.Sscanf(t, "minblocks=%d", &p.f.MinBlocks); err != nil {
				return err
			}
		case t[0] == '@':
			if p.f.Pos, err = parsePos(t); err != nil {
				return err
			}
		default:
			return fmt.Errorf("unknown attribute %s", t)
		}
	}
	return nil
}

func parsePos(t string) (pos Pos, err error) {
	t, call, inlined := strings.Cut(t, "<")
	_, err = fmt.Sscanf(t, "@%d:%d:%d", &pos.File, &pos.Line, &pos.Col)
	if inlined && err == nil {
		_, err = fmt.Sscanf(call, "%d:%d:%d", &pos.Call.File, &pos.Call.Line, &pos.Call.Col)
	}
	return pos, err
}

// attr splits key=value. A quoted value is unquoted.
func attr(t string) (key, val string, err error) {
	key, val, ok := strings.Cut(t, "=")
	if !ok {
		return t, "", nil
	}
	if strings.HasPrefix(val, `"`) {
		val, err = strconv.Unquote(val)
	}
	return key, val, err
}

func (p *parser) param(toks []string) error {
	mem, ok := memByName[toks[2]]
	if !ok {
		return fmt.Errorf("unknown memory type %s", toks[2])
	}
	q := &Param{Name: toks[1], Mem: mem}
	for _, t := range toks[3:] {
		key, val, err := attr(t)
		if err != nil {
			return err
		}
		switch key {
		case "align":
			q.Align, err = strconv.Atoi(val)
		case "role":
			q.Role = val
		case "type":
			q.Type = abi.ReadShape(val)
		case "offset":
			q.Offset, err = strconv.ParseInt(val, 10, 64)
		case "value":
			q.Value, err = p.paramValue(val)
		case "address":
			q.Value.Address = true
		default:
			err = p.space(key, &q.Space)
		}
		if err != nil {
			return err
		}
	}
	p.params[q.Name] = p.f.AddParam(q)
	return nil
}

// paramValue reads "name size align". Parts of one parameter share it.
func (p *parser) paramValue(text string) (*ParamValue, error) {
	v := &ParamValue{}
	if _, err := fmt.Sscanf(text, "%s %d %d", &v.Name, &v.Size, &v.Align); err != nil {
		return nil, fmt.Errorf("bad value of parameter")
	}
	for _, q := range p.f.Params {
		if q.Value != nil && *q.Value == *v {
			return q.Value, nil
		}
	}
	return v, nil
}

func (p *parser) space(name string, out *Space) error {
	s, ok := spaceByName[name]
	if !ok {
		return fmt.Errorf("unknown attribute %s", name)
	}
	*out = Space(s)
	return nil
}

func (p *parser) variable(toks []string) error {
	v := &Var{Name: toks[1]}
	for _, t := range toks[2:] {
		key, val, err := attr(t)
		if err != nil {
			return err
		}
		switch {
		case key == "size":
			v.Size, err = strconv.ParseInt(val, 10, 64)
		case key == "align":
			v.Align, err = strconv.Atoi(val)
		case key == "elem":
			v.Elem = memByName[val]
		case key == "dynamic":
			v.Dynamic = true
		case key == "type":
			v.Type = abi.ReadShape(val)
		case key == "init":
			v.Init = []byte(val)
		case key == "ref":
			err = p.ref(v, val)
		case t[0] == '@':
			v.Pos, err = parsePos(t)
		default:
			err = p.space(key, &v.Space)
		}
		if err != nil {
			return err
		}
	}
	p.vars[v.Name] = p.f.AddVar(v)
	return nil
}

// ref reads an address in constant data: the offset, and the name of a variable before this one.
func (p *parser) ref(v *Var, text string) error {
	off, name, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(off, 10, 64)
	if err != nil || p.vars[name] == nil {
		return fmt.Errorf("cannot read ref=%q", text)
	}
	v.Refs = append(v.Refs, Ref{n, p.vars[name]})
	return nil
}

// numbered reads "v12" or "b3".
func numbered(prefix byte, t string) (int, bool) {
	if len(t) < 2 || t[0] != prefix {
		return 0, false
	}
	n, err := strconv.Atoi(t[1:])
	return n, err == nil && n >= 0
}

func (p *parser) value(id int) *Value {
	v := p.values[id]
	if v == nil {
		v = &Value{ID: id}
		p.values[id] = v
		p.f.nextID = max(p.f.nextID, id+1)
	}
	return v
}

func (p *parser) blockNamed(t string) (*Block, error) {
	id, ok := numbered('b', t)
	if !ok {
		return nil, fmt.Errorf("block expected, not %s", t)
	}
	b := p.blocks[id]
	if b == nil {
		b = &Block{ID: id}
		p.blocks[id] = b
		p.f.nextBlock = max(p.f.nextBlock, id+1)
	}
	return b, nil
}

func (p *parser) label(toks []string) error {
	b, err := p.blockNamed(strings.TrimSuffix(toks[0], ":"))
	if err != nil {
		return err
	}
	list := predList{block: b}
	for _, t := range toks[1:] {
		pred, err := p.blockNamed(t)
		if err != nil {
			return err
		}
		list.preds = append(list.preds, pred)
	}
	p.preds = append(p.preds, list)
	p.f.Blocks = append(p.f.Blocks, b)
	p.block = b
	return nil
}

// instr reads "v7 = Ptr.global PtrAdd v3, v6 align=4 @0:7:3" or the same without a result.
func (p *parser) instr(toks []string) error {
	var v *Value
	if len(toks) > 3 && toks[1] == "=" {
		id, ok := numbered('v', toks[0])
		if !ok {
			return fmt.Errorf("value expected, not %s", toks[0])
		}
		if p.defined[id] {
			return fmt.Errorf("v%d defined twice", id)
		}
		p.defined[id] = true
		v = p.value(id)
		name, space, hasSpace := strings.Cut(toks[2], ".")
		t, ok := typeByName[name]
		if !ok {
			return fmt.Errorf("unknown type %s", name)
		}
		v.Type = Type(t)
		if hasSpace {
			if err := p.space(space, &v.Space); err != nil {
				return err
			}
		}
		toks = toks[3:]
	} else {
		v = &Value{ID: -1}
	}
	if err := p.opcode(v, toks[0]); err != nil {
		return err
	}
	p.block.Append(v)
	for _, t := range toks[1:] {
		if err := p.operand(v, t); err != nil {
			return err
		}
	}
	return nil
}

// ParseOp reads an operation with its refinement or its scope: "Vote.Ballot", "Fence.device".
func ParseOp(text string) (op Op, sub Sub, scope Scope, err error) {
	var v Value
	err = new(parser).opcode(&v, text)
	return v.Op, v.Sub, v.Scope, err
}

// opcode reads "Atomic.Add.device.b32.global".
func (p *parser) opcode(v *Value, t string) error {
	parts := strings.Split(t, ".")
	op, ok := opByName[parts[0]]
	if !ok {
		return fmt.Errorf("unknown operation %s", parts[0])
	}
	v.Op = Op(op)
	for _, m := range parts[1:] {
		if sub, ok := subByName(v.Op, m); ok && v.Sub == SubNone {
			v.Sub = sub
		} else if scope, ok := scopeByName[m]; ok {
			v.Scope = Scope(scope)
		} else if order, ok := orderByName[m]; ok {
			v.Order = Order(order)
		} else if mem, ok := memByName[m]; ok {
			v.Mem = mem
		} else if n, ok := numbered('x', m); ok {
			v.Lanes = n
		} else if m == "uniform" {
			v.Uniform = true
		} else if m == "unsigned" {
			v.Unsigned = true
		} else if m == "fast" {
			v.Fast = true
		} else if space, ok := spaceByName[m]; ok {
			v.Space = Space(space)
		} else {
			return fmt.Errorf("unknown modifier %s", m)
		}
	}
	return nil
}

func (p *parser) operand(v *Value, t string) (err error) {
	if id, ok := numbered('v', t); ok {
		v.Args = append(v.Args, p.value(id))
		return nil
	}
	if _, ok := numbered('b', t); ok && v.Op.Terminator() {
		to, err := p.blockNamed(t)
		v.Block.Succs = append(v.Block.Succs, to)
		return err
	}
	if t[0] == '@' {
		v.Pos, err = parsePos(t)
		return err
	}
	if key, val, err := attr(t); err != nil {
		return err
	} else if val != "" {
		return p.valueAttr(v, key, val)
	}
	return p.special(v, t)
}

func (p *parser) valueAttr(v *Value, key, val string) (err error) {
	switch key {
	case "size":
		v.Size, err = strconv.ParseInt(val, 10, 64)
	case "align":
		v.Align, err = strconv.Atoi(val)
	case "name":
		v.Name = val
	default:
		err = fmt.Errorf("unknown attribute %s", key)
	}
	return err
}

// special reads the operand of an operation that has one in addition to its arguments.
func (p *parser) special(v *Value, t string) (err error) {
	switch v.Op {
	case Const:
		v.Int, err = parseConst(v.Type, t)
		return err
	case Extract:
		v.Int, err = strconv.ParseUint(t, 10, 64)
		return err
	case ParamVal:
		i, ok := p.params[t]
		if !ok {
			return fmt.Errorf("unknown parameter %s", t)
		}
		v.Int = uint64(i)
		return nil
	case VarAddr:
		if v.Var = p.vars[t]; v.Var == nil {
			return fmt.Errorf("unknown variable %s", t)
		}
		return nil
	}
	return fmt.Errorf("unknown operand %s", t)
}

// finish gives results to what has none, and checks that all that was named was defined.
func (p *parser) finish() (*Func, error) {
	if p.f == nil || len(p.f.Blocks) == 0 {
		return nil, fmt.Errorf("no function")
	}
	for id := range p.f.nextID {
		if p.values[id] != nil && !p.defined[id] {
			return nil, fmt.Errorf("v%d is used but not defined", id)
		}
	}
	if len(p.preds) != len(p.blocks) {
		return nil, fmt.Errorf("%d blocks are named, %d defined", len(p.blocks), len(p.preds))
	}
	for _, l := range p.preds {
		l.block.Preds = l.preds
		for _, v := range l.block.Instrs {
			if v.ID < 0 {
				v.ID = p.f.nextID
				p.f.nextID++
			}
		}
	}
	return p.f, nil
}
