// Package host runs kernels on the host: the part of the oracle that is compiled together with the
// generated programs. Package difftest embeds its source, and the source of the package below it
// that replaces package gpu, and copies both into a temporary module.
package host

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/gridstride/gridstride/internal/proof/difftest/host/gpu"
)

// Call is one launch of one kernel.
type Call struct {
	Grid, Block [3]int
	Cluster     int // blocks of a cluster, in a row
	Args        []Arg
}

// Arg is an argument: Len elements of a slice, else one value, as in memory. A struct that holds
// slices takes one for each field that has a name.
type Arg struct {
	Slice bool
	Len   int
	Alias int // the index of the argument whose memory this slice shares, -1 for none
	Data  []byte
}

// Outcome is the result of a call.
type Outcome struct {
	Memory   [][]byte // the slices afterwards, one an argument; nil for values and aliases
	Failures []Failure
	TimedOut bool // or its threads wait for each other
}

// Failure is a thread that panicked.
type Failure struct {
	Thread  int // in the grid
	Message string
	// Lines are the lines of the program's source on the stack, the innermost first.
	Lines []int
}

// Main reads calls from standard input, runs them with the kernels, whose order is theirs, and
// writes the outcomes to standard output. A call that does not end within limit is its last: it
// reports it, and the process ends.
func Main(kernels []any, limit time.Duration) {
	in, out := gob.NewDecoder(bufio.NewReader(os.Stdin)), bufio.NewWriter(os.Stdout)
	enc := gob.NewEncoder(out)
	for {
		var first int
		var call Call
		if err := in.Decode(&first); err == io.EOF {
			break
		} else if err != nil {
			fatal(err)
		}
		if err := in.Decode(&call); err != nil {
			fatal(err)
		}
		done := make(chan Outcome, 1)
		go func() { done <- run(kernels[first], call) }()
		var o Outcome
		timeout := false
		select {
		case o = <-done:
		case <-time.After(limit):
			timeout, o.TimedOut = true, true
		}
		if err := enc.Encode(o); err != nil {
			fatal(err)
		}
		if timeout {
			break
		}
	}
	if err := out.Flush(); err != nil {
		fatal(err)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "difftest host:", err)
	os.Exit(1)
}

func run(kernel any, call Call) Outcome {
	fn := reflect.ValueOf(kernel)
	var args, parts []reflect.Value
	for t := range fn.Type().Ins() {
		args = append(args, call.argument(t, &parts))
	}
	var o Outcome
	gpu.GridDim, gpu.BlockDim = dim3(call.Grid), dim3(call.Block)
	gpu.ClusterDim = gpu.Dim3{X: max(call.Cluster, 1), Y: 1, Z: 1}
	n := Count(call.Block)
	ended := gpu.RunGrid(Count(call.Grid), n, func(b, t int) {
		if f := thread(fn, args); f != nil {
			f.Thread = b*n + t
			o.Failures = append(o.Failures, *f)
		}
	})
	if !ended {
		o.TimedOut = true
		return o
	}
	slices.SortFunc(o.Failures, func(a, b Failure) int { return a.Thread - b.Thread })
	o.Memory = make([][]byte, len(parts))
	for i, a := range call.Args {
		if a.Slice && a.Alias < 0 {
			o.Memory[i] = append([]byte{}, bytesOf(parts[i])...)
		}
	}
	return o
}

// Count is the number of blocks of a grid, or threads of a block.
func Count(dim [3]int) int { return dim[0] * dim[1] * dim[2] }

func dim3(d [3]int) gpu.Dim3 { return gpu.Dim3{X: d[0], Y: d[1], Z: d[2]} }

// thread runs the kernel for one thread, and returns how it failed or nil.
func thread(fn reflect.Value, args []reflect.Value) (f *Failure) {
	defer func() {
		if x := recover(); x != nil {
			f = &Failure{Message: message(x), Lines: stack()}
		}
	}()
	fn.Call(args)
	return nil
}

// message is the panic as the device reports it.
func message(x any) string {
	switch x := x.(type) {
	case runtime.Error:
		return strings.TrimPrefix(x.Error(), "runtime error: ")
	case gpu.AssertError:
		if x == "" {
			return "assertion failed"
		}
		return "assertion failed: " + string(x)
	case string:
		if x == "" {
			return "panic"
		}
		return "panic: " + x
	}
	return fmt.Sprint(x)
}

// stack lists the lines of generated files on the panicking stack.
func stack() (lines []int) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(filepath.Base(f.File), "kernel") {
			lines = append(lines, f.Line)
		}
		if !more {
			return lines
		}
	}
}

// argument makes a parameter's value of the next arguments of the call, and appends what each is.
func (c *Call) argument(t reflect.Type, parts *[]reflect.Value) reflect.Value {
	if t.Kind() == reflect.Struct && holdsSlice(t) {
		v := reflect.New(t).Elem()
		for f, part := range v.Fields() {
			if f.Name != "_" {
				reflect.NewAt(f.Type, part.Addr().UnsafePointer()).Elem().Set(c.argument(f.Type, parts))
			}
		}
		return v
	}
	a := c.Args[len(*parts)]
	var v reflect.Value
	if a.Slice && a.Alias >= 0 {
		v = (*parts)[a.Alias]
	} else {
		v = decode(t, a)
	}
	*parts = append(*parts, v)
	return v
}

func holdsSlice(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return t.Kind() == reflect.Slice
	}
	return slices.ContainsFunc(slices.Collect(t.Fields()), func(f reflect.StructField) bool { return holdsSlice(f.Type) })
}

// decode makes a value of type t from its bytes.
func decode(t reflect.Type, a Arg) reflect.Value {
	if a.Slice {
		s := reflect.MakeSlice(t, a.Len, a.Len)
		copy(bytesOf(s), a.Data)
		return s
	}
	v := reflect.New(t)
	copy(unsafe.Slice((*byte)(v.UnsafePointer()), t.Size()), a.Data)
	return v.Elem()
}

// bytesOf is the memory of a slice.
func bytesOf(s reflect.Value) []byte {
	return unsafe.Slice((*byte)(s.UnsafePointer()), uintptr(s.Len())*s.Type().Elem().Size())
}
