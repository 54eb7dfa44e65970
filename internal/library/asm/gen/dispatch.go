package main

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"text/template"

	"github.com/mmcloughlin/avo/gotypes"
)

// dispatch is the Go code that chooses an instruction set. amd64 and arm64 have their own code, and
// other machines share the rest.
var dispatch = template.Must(template.New("").Parse(`{{.Header}}

//go:build {{.Build}}

package {{.Package}}

import (
	"github.com/gridstride/gridstride/internal/library/asm"
	"github.com/gridstride/gridstride/internal/library/asm/portable"
)

{{- if .AMD64}}

// The instruction sets, for assembly.
const (
	avx2   = asm.AVX2
	avx512 = asm.AVX512
)
{{- end}}

// Tile is the work of a micro kernel.
type Tile = asm.Tile[{{.Elem}}]

// tileSizes are the sizes of the micro kernels' tiles.
var tileSizes = [...]asm.TileSizes{
	asm.Portable: {Rows: portable.TileRows, Cols: portable.TileCols},
{{- if .AMD64}}
	asm.AVX2:     {Rows: {{.Rows2}}, Cols: {{.Lanes2}} * 2},
	asm.AVX512:   {Rows: {{.Rows512}}, Cols: {{.Lanes512}} * 2, Tall: {{.RowsTall}}, Narrow: {{.Lanes512}}},
{{- end}}
{{- if .ARM64}}
	asm.NEON:     {Rows: {{.RowsNEON}}, Cols: {{.ColsNEON}}},
{{- end}}
}

// TileSizes are the sizes of this machine's tiles.
func TileSizes() *asm.TileSizes { return &tileSizes[asm.CPU] }

// RunTile computes a tile of rows by cols elements, a size that [asm.TileSizes.Fit] allows.
func RunTile(t *Tile, rows, cols int) {
{{- if .AMD64}}
	switch asm.CPU {
	case asm.AVX512:
		before := uint(cols - 1)
		t.Last = 2<<(before%{{.Lanes512}}) - 1
		kind := 4 * rows
		switch {
		case cols == 2*{{.Lanes512}}:
			kind += 3
		case cols > {{.Lanes2}}:
			kind += 1 + int(before/{{.Lanes512}})
		}
		runAVX512(t, kind)
		return
	case asm.AVX2:
		last := (cols-1)%{{.Lanes2}} + 1
		t.Last = last * {{.Size}}
		kind := 4*rows + (cols-1)/{{.Lanes2}}*2
		if last < {{.Lanes2}} {
			kind++
		}
		runAVX2(t, kind)
		return
	}
{{- end}}
{{- if .ARM64}}
	if asm.CPU == asm.NEON {
		runNEON(t, rows, cols)
		return
	}
{{- end}}
	portable.Tile(t, rows, cols)
}

// Transpose writes columns of rows of src as rows of dst. Strides are in elements. It may write as
// many as {{.Lanes2}} elements of every row of dst where rows are fewer, before later rows.
func Transpose(dst []{{.Elem}}, dstStride int, src []{{.Elem}}, srcStride, rows, cols int) {
{{- with .Transpose}}
	if whole := cols &^ ({{.Lanes}} - 1); whole > 0 && asm.CPU >= asm.{{.Set}} {
		for r := (rows - 1) &^ ({{.Lanes}} - 1); r >= 0; r -= {{.Lanes}} {
			transpose{{.Set}}(&dst[r], dstStride*{{$.Size}}, &src[r*srcStride], srcStride*{{$.Size}}, min(rows-r, {{.Lanes}}), whole)
		}
		if whole == cols {
			return
		}
		dst, src, cols = dst[whole*dstStride:], src[whole:], cols-whole
	}
{{- end}}
	portable.Transpose(dst, dstStride, src, srcStride, rows, cols)
}
{{- range .Functions}}

// {{.Name}} {{.Doc}}
{{- if $.AMD64}}
//
//go:noescape
func {{.Name}}({{.Params}}) {{.Result}}

// {{.Private}}Portable is {{.Name}} without instructions of this machine's own.
func {{.Private}}Portable({{.Params}}) {{.Result}} { {{.Return}}portable.{{.Portable}}({{.Args}}) }
{{- else}}
func {{.Name}}({{.Params}}) {{.Result}} {
{{- if $.ARM64}}
	if asm.CPU == asm.NEON {
		{{.Return}}{{.Private}}NEON({{.Args}}){{.Leave}}
	}
{{- end}}
	{{.Return}}portable.{{.Portable}}({{.Args}})
}
{{- end}}
{{- end}}
`))

// jumps are the same choice in assembly: a function of Go that only calls another one would cost a
// short vector as much as a tenth of its time.
var jumps = template.Must(template.New("").Parse(`{{.Header}}

//go:build !noasm

#include "go_asm.h"
#include "textflag.h"
{{range .Functions}}
// func {{.Name}}({{.Params}}){{if .Result}} {{.Result}}{{end}}
TEXT ·{{.Name}}(SB), NOSPLIT|NOFRAME, $0-{{.Bytes}}
	CMPQ github·com∕gridstride∕gridstride∕internal∕library∕asm·CPU(SB), $const_avx512
	JNE  not512
	JMP  ·{{.Private}}AVX512(SB)

not512:
	CMPQ github·com∕gridstride∕gridstride∕internal∕library∕asm·CPU(SB), $const_avx2
	JNE  portable
	JMP  ·{{.Private}}AVX2(SB)

portable:
	JMP ·{{.Private}}Portable(SB)
{{end}}`))

// choice is the data of the templates.
type choice struct {
	Header, Package, Build, Elem string
	AMD64, ARM64                 bool
	Size                         int
	Lanes2, Lanes512             int // of AVX2 and AVX-512
	Rows2, Rows512, RowsTall     int // of tiles
	RowsNEON, ColsNEON           int
	Transpose                    *transposition
	Functions                    []function
}

// transposition is the instruction set that transposes, and how many lanes it does at once.
type transposition struct {
	Set   string
	Lanes int
}

// writeDispatch writes the files for amd64, arm64 and the other machines.
func writeDispatch(double bool) error {
	n := &neon{double: double}
	all, err := functions(n.elem(), double)
	if err != nil {
		return err
	}
	c := choice{
		Header: header, Package: folder(double), Elem: n.elem(), Size: n.size(),
		Lanes2: 32 / n.size(), Lanes512: 64 / n.size(), Rows2: rowsAVX2, Rows512: rowsAVX512, RowsTall: rowsTall,
		RowsNEON: rowsNEON, ColsNEON: n.lanes() * vecsNEON, Functions: all,
	}
	var b bytes.Buffer
	if err := jumps.Execute(&b, c); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join("..", c.Package, "dispatch_amd64.s"), b.Bytes(), 0o666); err != nil {
		return err
	}
	for name, build := range map[string]string{
		"amd64": "!noasm", "arm64": "!noasm", "other": "noasm || !(amd64 || arm64)",
	} {
		c.Build, c.AMD64, c.ARM64, c.Transpose = build, name == "amd64", name == "arm64", nil
		if c.AMD64 {
			c.Transpose = &transposition{avx2.name, c.Lanes2}
		} else if c.ARM64 {
			c.Transpose = &transposition{"NEON", n.lanes()}
		}
		if err := c.write(name); err != nil {
			return err
		}
	}
	return nil
}

// write writes the file for a machine.
func (c *choice) write(machine string) error {
	var b bytes.Buffer
	if err := dispatch.Execute(&b, c); err != nil {
		return err
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join("..", c.Package, "dispatch_"+machine+".go"), text, 0o666)
}

// function is a function that has a form for every instruction set.
type function struct {
	Name, Private, Portable, Doc, Params, Args, Result string
	Return, Leave                                      string // round the call
	Bytes                                              int    // of the arguments and the result
}

func functions(elem string, double bool) ([]function, error) {
	var all []function
	add := func(name, doc, params, args, result string) {
		f := function{Name: name, Portable: name, Private: lower(name), Doc: doc, Params: params, Args: args, Result: result}
		f.Return = "return "
		if result == "" {
			f.Return, f.Leave = "", "\n\t\treturn"
		}
		all = append(all, f)
	}
	for _, r := range reductions {
		params, result := r.params(elem)
		add(r.name, r.doc, params, r.args(), result)
	}
	add("Axpy", "computes y += alpha*x.", "alpha "+elem+", x, y []"+elem, "alpha, x, y", "")
	add("Scal", "computes x *= alpha.", "alpha "+elem+", x []"+elem, "alpha, x", "")
	add("Rot", "computes x, y = c*x + s*y, c*y - s*x.", "x, y []"+elem+", c, s "+elem, "x, y, c, s", "")
	const whole = " of x, and whether one is NaN: then the value says\n" +
		"// nothing. The length is a multiple of 64 bytes and not 0."
	for _, e := range [][2]string{{"Min", "the smallest"}, {"Max", "the largest"}, {"MaxAbs", "the largest absolute value"}} {
		add(e[0], "is "+e[1]+whole, "x []"+elem, "x", "(m "+elem+", nan uint32)")
	}
	if double {
		add("DotExact", "writes 16 sums of x*y, and then the error of each.", "x, y []float64, sums *[32]float64", "x, y, sums", "")
	} else {
		add("DotExact", "is the sum of x*y in float64. The length is a multiple of 8.", "x, y []float32", "x, y", "float64")
	}
	lanes := "lanes *[64]int32"
	if double {
		lanes = "lanes *[32]int64"
	}
	add("Deposit", "adds the slices of x*scale to the lanes of bins, as [portable.Deposit32] says, of at most\n"+
		"// binned.Deposits units of 64 bytes.", "x []"+elem+", scale "+elem+", "+lanes, "x, scale, lanes", "")
	add("DepositProducts", "is Deposit of x*y.", "x, y []"+elem+", scale "+elem+", "+lanes, "x, y, scale, lanes", "")
	for i := range all {
		switch f := &all[i]; f.Name {
		case "DotExact", "Deposit", "DepositProducts":
			f.Portable += elem[len("float"):]
		}
		signature, err := gotypes.ParseSignature("func(" + all[i].Params + ") " + all[i].Result)
		if err != nil {
			return nil, err
		}
		all[i].Bytes = signature.Bytes()
	}
	return all, nil
}
