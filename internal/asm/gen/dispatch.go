package main

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"text/template"
)

// dispatch is the Go code that chooses an instruction set, of which amd64 has its own and other
// machines the rest.
var dispatch = template.Must(template.New("").Parse(`{{.Header}}

//go:build {{.Build}}

package {{.Package}}

import (
	"github.com/gridstride/gridstride/internal/asm"
	"github.com/gridstride/gridstride/internal/asm/portable"
)

// Tile is the work of a micro kernel.
type Tile = asm.Tile[{{.Elem}}]

// TileSize is the largest tile of this machine's micro kernels.
func TileSize() (rows, cols int) {
{{- if .AMD64}}
	switch asm.CPU {
	case asm.AVX512:
		return {{.Rows512}}, {{.Lanes512}} * 2
	case asm.AVX2:
		return {{.Rows2}}, {{.Lanes2}} * 2
	}
{{- end}}
	return portable.TileRows, portable.TileCols
}

// RunTile computes a tile of so many rows and columns, at most TileSize.
func RunTile(t *Tile, rows, cols int) {
{{- if .AMD64}}
	switch asm.CPU {
	case asm.AVX512:
		vecs := (cols + {{.Lanes512}} - 1) / {{.Lanes512}}
		t.Last = 1<<(cols-(vecs-1)*{{.Lanes512}}) - 1
		runAVX512(t, rows, vecs)
		return
	case asm.AVX2:
		vecs := (cols + {{.Lanes2}} - 1) / {{.Lanes2}}
		last := cols - (vecs-1)*{{.Lanes2}}
		t.Last = last * {{.Size}}
		runAVX2(t, rows, vecs, last < {{.Lanes2}})
		return
	}
{{- end}}
	portable.Tile(t, rows, cols)
}

// Transpose writes columns of rows of src as rows of dst. Strides are in elements. It may write as
// many as {{.Lanes2}} elements of every row of dst where rows are fewer, before later rows.
func Transpose(dst []{{.Elem}}, dstStride int, src []{{.Elem}}, srcStride, rows, cols int) {
{{- if .AMD64}}
	if whole := cols &^ ({{.Lanes2}} - 1); whole > 0 && asm.CPU >= asm.AVX2 {
		for r := (rows - 1) &^ ({{.Lanes2}} - 1); r >= 0; r -= {{.Lanes2}} {
			transposeAVX2(&dst[r], dstStride*{{.Size}}, &src[r*srcStride], srcStride*{{.Size}}, min(rows-r, {{.Lanes2}}), whole)
		}
		if whole == cols {
			return
		}
		dst, src, cols = dst[whole*dstStride:], src[whole:], cols-whole
	}
{{- end}}
	portable.Transpose(dst, dstStride, src, srcStride, rows, cols)
}
`))

// writeDispatch writes the files for amd64 and for the other machines.
func writeDispatch(double bool) error {
	pkg := folder(double)
	data := map[string]any{
		"Header": header, "Package": pkg,
		"Elem": "float32", "Size": 4, "Lanes2": 8, "Lanes512": 16, "Rows2": rowsAVX2, "Rows512": rowsAVX512,
	}
	if double {
		data["Elem"], data["Size"], data["Lanes2"], data["Lanes512"] = "float64", 8, 4, 8
	}
	for name, constraint := range map[string]string{"amd64": "!noasm", "other": "noasm || !amd64"} {
		data["AMD64"], data["Build"] = name == "amd64", constraint
		var b bytes.Buffer
		if err := dispatch.Execute(&b, data); err != nil {
			return err
		}
		text, err := format.Source(b.Bytes())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join("..", pkg, "dispatch_"+name+".go"), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
