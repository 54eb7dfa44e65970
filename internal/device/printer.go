package device

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/message"
)

// Printer writes what the kernels of a device print.
type Printer struct {
	// Size is how many bytes there are for the lines of a stream, in device memory, between two
	// waits.
	Size int
	// Threads begins each call's text with the block and the thread.
	Threads bool
	// Output gets the text of the calls in one Write, and never two at once.
	Output io.Writer

	turn chan struct{} // full while somebody prints
}

// NewPrinter prints to standard output or another writer, with size bytes for a stream's lines.
func NewPrinter(size int, output io.Writer) *Printer {
	return &Printer{Size: size, Output: output, turn: make(chan struct{}, 1)}
}

// Lock waits until nobody else prints. It reports false where ctx ends before that.
func (p *Printer) Lock(ctx context.Context) bool {
	select {
	case p.turn <- struct{}{}:
		return true
	default:
	}
	select {
	case p.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// Unlock lets others print.
func (p *Printer) Unlock() { <-p.turn }

// prefix returns the beginning of a line's text if Threads is set.
func prefix(l *abi.Line) string {
	return fmt.Sprintf("block (%d,%d,%d) thread (%d,%d,%d): ",
		l.Block[0], l.Block[1], l.Block[2], l.Thread[0], l.Thread[1], l.Thread[2])
}

// MaxTaken is the number of times that a stream's print buffer is emptied before the lines must be
// printed. Lines of later kernels then stay in the buffer.
const MaxTaken = 8

// Print writes the lines of a print buffer. kernels are those that have used it, by the numbers
// that their lines have. An error of the Output is nobody's to return, and is dropped, as
// fmt.Print's mostly is. It needs the Lock.
func (p *Printer) Print(mem []byte, kernels []*Kernel) {
	lines, lost := abi.DecodeLines(mem)
	if len(lines) == 0 && lost == 0 {
		return
	}
	var text strings.Builder
	for i := range lines {
		l := &lines[i]
		if l.Kernel >= len(kernels) || kernels[l.Kernel] == nil {
			continue
		}
		if p.Threads {
			text.WriteString(prefix(l))
		}
		text.WriteString(message.Sprint(kernels[l.Kernel].Formats[l.Format], l.Values))
	}
	if lost > 0 {
		fmt.Fprintf(&text, "gridstride: %d calls of gpu.Printf are lost: the buffer has %d bytes between two waits (gridstride.PrintBuffer)\n",
			lost, p.Size)
	}
	_, _ = p.Output.Write([]byte(text.String()))
}

// Write hands text to the Output, and takes the Lock for that.
func (p *Printer) Write(text []byte) (int, error) {
	p.Lock(context.Background())
	defer p.Unlock()
	return p.Output.Write(text)
}

// NewBuffer returns the contents of a print buffer before its first line.
func (p *Printer) NewBuffer() []byte {
	mem := make([]byte, p.BufferSize())
	for i := range 8 {
		mem[abi.PrintOffSize+i] = byte(uint64(p.Size) >> (8 * i))
	}
	return mem
}

// BufferSize is the size of a print buffer in bytes.
func (p *Printer) BufferSize() int { return abi.PrintHeader + p.Size }

// Printing is the kernels that use the print buffer of a stream. A kernel's number is its index.
type Printing []*Kernel

// Number is the number of a kernel, or a free one, marked by nil, if it has none.
func (ks *Printing) Number(k *Kernel) int {
	for _, want := range []*Kernel{k, nil} {
		if i := slices.Index(*ks, want); i >= 0 {
			(*ks)[i] = k
			return i
		}
	}
	*ks = append(*ks, k)
	return len(*ks) - 1
}
