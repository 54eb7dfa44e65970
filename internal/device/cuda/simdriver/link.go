//go:build linux

package simdriver

import (
	"fmt"
	"os"
	"strings"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/ptx"
)

// linking is a CUlinkState: PTX that becomes one module.
type linking struct {
	inputs             []string
	linked             []byte
	n, options, values uintptr
}

// The kinds of a linker's input, CUjitInputType.
const (
	inputCubin  = 0
	inputPTX    = 1
	inputFatbin = 2
)

func (d *driver) linkFunctions() map[string]any {
	return map[string]any{
		"cuLinkCreate_v2":  d.linkCreate,
		"cuLinkAddData_v2": d.linkAdd,
		"cuLinkAddFile_v2": d.linkAddFile,
		"cuLinkComplete":   d.linkComplete,
		"cuLinkDestroy":    d.linkDestroy,
	}
}

func (d *driver) linkCreate(n, options, values, to uintptr) uintptr {
	return d.inContext(func(*context) uintptr {
		return d.add(to, &linking{n: uintptr(uint32(n)), options: options, values: values})
	})
}

func (d *driver) linkAdd(h, kind, data, size, name, n, options, values uintptr) uintptr {
	l, ok := find[*linking](d, h)
	switch {
	case !ok:
		return code(cuda.InvalidHandle)
	case data == 0 || int64(size) < 0:
		return code(cuda.InvalidValue)
	}
	return l.add(d, uint32(kind), memoryAt(data, size))
}

func (d *driver) linkAddFile(h, kind, path, n, options, values uintptr) uintptr {
	l, ok := find[*linking](d, h)
	switch {
	case !ok:
		return code(cuda.InvalidHandle)
	case path == 0:
		return code(cuda.InvalidValue)
	}
	data, err := os.ReadFile(cString(path))
	if err != nil {
		return code(fileNotFound)
	}
	return l.add(d, uint32(kind), data)
}

// add adds an image.
func (l *linking) add(d *driver, kind uint32, data []byte) uintptr {
	if kind > inputFatbin {
		fmt.Fprintln(os.Stderr, "gridstride: the linker is given an object or a library: machine code, which is not simulated")
		return code(notSupported)
	}
	text, err := d.textIn(data)
	if err == nil {
		_, err = ptx.Parse("ptx", text)
	}
	if err != nil {
		writeLog(err, l.n, l.options, l.values)
		return code(imageResult(err))
	}
	l.inputs = append(l.inputs, text)
	return 0
}

// linkComplete gives the module as an image: PTX, which takes the place of the machine code that the
// driver makes.
func (d *driver) linkComplete(h, image, size uintptr) uintptr {
	l, ok := find[*linking](d, h)
	switch {
	case !ok:
		return code(cuda.InvalidHandle)
	case image == 0 || len(l.inputs) == 0:
		return code(cuda.InvalidValue)
	}
	l.linked = append([]byte(joined(l.inputs)), 0)
	if _, err := ptx.Parse("ptx", string(l.linked[:len(l.linked)-1])); err != nil {
		writeLog(err, l.n, l.options, l.values)
		return code(imageResult(err))
	}
	*at[uintptr](image) = start(l.linked)
	store(size, uint64(len(l.linked)))
	return 0
}

func (d *driver) linkDestroy(h uintptr) uintptr {
	if _, ok := find[*linking](d, h); !ok {
		return code(cuda.InvalidHandle)
	}
	d.remove(h)
	return 0
}

// joined is several texts of PTX as one. Later texts lose their directives of the module.
func joined(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	var b strings.Builder
	b.WriteString(texts[0])
	for _, text := range texts[1:] {
		b.WriteByte('\n')
		for line := range strings.Lines(text) {
			switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word {
			case ".version", ".target", ".address_size":
			default:
				b.WriteString(line)
			}
		}
	}
	return b.String()
}
