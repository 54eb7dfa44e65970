// Package lab does what the tour does with a program: it compiles it, launches a kernel of it on the
// simulator, checks it, and draws up its pictures. It reads sources from an fs.FS, starts no
// processes, and builds for js/wasm.
package lab

import (
	"io/fs"
	"sync"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/sourcefs"
)

// The bounds of what a page may ask for.
const (
	MaxProgram = 1 << 18  // bytes of a program
	MaxMemory  = 64 << 20 // bytes of all buffers of a launch
	MaxThreads = 1 << 22  // threads of a grid
	MaxShown   = 1024     // values of a buffer that are shown
)

const module = "github.com/gridstride/gridstride"

// Lab compiles and runs programs. Its methods may be called from one goroutine at a time, but for Answer,
// which waits for its turn.
type Lab struct {
	importer frontend.Importer
	last     *Compiled
	watching *watching  // nil if no execution is looked at
	turn     sync.Mutex // of Answer
}

// New makes a Lab with the sources of gridstride: the root of fsys is the root of the module.
func New(fsys fs.FS) *Lab {
	known := map[string]*frontend.Source{}
	read := sourcefs.Importer(fsys, module)
	return &Lab{importer: func(importPath string) (*frontend.Source, error) {
		if src := known[importPath]; src != nil {
			return src, nil
		}
		src, err := read(importPath)
		if err == nil {
			known[importPath] = src
		}
		return src, err
	}}
}

// Launch says how to launch a kernel.
type Launch struct {
	Kernel string   `json:"kernel"` // as Kernel.Name; empty for the first
	Grid   []int    `json:"grid"`
	Block  []int    `json:"block"` // empty if the kernel says it
	Shared int      `json:"shared,omitempty"`
	Args   []string `json:"args"` // as package argspec reads them
	Order  int      `json:"order,omitempty"`
}
