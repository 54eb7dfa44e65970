package abi

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// This file is the contract about what kernels print.
//
// Each stream has a buffer in device memory for the lines of its kernels. A kernel that prints
// finds the buffer's address in its fault record, at FaultOffPrint, and next to it the host's
// number of the kernel. A call of gpu.Printf adds the size of its line to the word at PrintOffUsed:
// the old value says where the line goes, and the lines of a thread follow each other in the order
// of its calls. A line that does not fit is lost, as are all later ones until the host, which
// empties the buffer whenever it waits for the stream, sets the words before PrintOffSize to 0.

// Layout of a buffer in memory, little endian. Its address is aligned to 8.
const (
	PrintOffUsed = 0  // u64 bytes of the lines, the lost ones too
	PrintOffLost = 8  // u64 lost lines
	PrintOffMark = 16 // u64 complement of where the first lost line would be; 0 for none
	PrintOffSize = 24 // u64 bytes that there are for lines
	PrintHeader  = 32 // where the lines begin
)

// Layout of a line. Its values follow, each in 8 bytes.
const (
	LineOffSize   = 0  // u32 bytes, with the values
	LineOffKernel = 4  // u32 number of the kernel
	LineOffFormat = 8  // u32 number of the format
	LineOffTid    = 12 // 3 × u32 thread index
	LineOffCtaid  = 24 // 3 × u32 block index
	LineHeader    = 40
)

// PrintLabel begins the labels of a kernel's code that prints, and of no other.
const PrintLabel = "$print"

// PrintValues is how many values a call of gpu.Printf may print.
const PrintValues = 32

// FormatVar is the name, with a number after it, of the variables of a module that hold its
// formats, each as [Format.Bytes] makes it. The host reads them in the PTX.
const FormatVar = "gridstride_format_"

// Format is a format of package fmt with a letter for each of its values: what the compiler knows
// of a call of gpu.Printf.
type Format struct {
	Text  string
	Kinds string
}

// The letters of the kinds of values.
const (
	PrintBool    = 't'
	PrintInt     = 'n'
	PrintInt8    = 'b'
	PrintInt16   = 'h'
	PrintInt32   = 'i'
	PrintInt64   = 'l'
	PrintUint    = 'N'
	PrintUint8   = 'B'
	PrintUint16  = 'H'
	PrintUint32  = 'I'
	PrintUint64  = 'L'
	PrintFloat32 = 'f'
	PrintFloat64 = 'd'

	// Numbers of 16 and 8 bits, by their bits.
	PrintFloat16  = '6'
	PrintBFloat16 = 'w'
	PrintE4M3     = '4'
	PrintE5M2     = '5'
)

// Bytes is the format as a variable holds it.
func (f Format) Bytes() []byte { return []byte(f.Kinds + "\x00" + f.Text) }

// FormatOf is the format that a variable of that name holds. ok is false if it holds none.
func FormatOf(name string, mem []byte) (number int, f Format, ok bool) {
	digits, ok := strings.CutPrefix(name, FormatVar)
	number, err := strconv.Atoi(digits)
	kinds, text, cut := bytes.Cut(mem, []byte{0})
	return number, Format{string(text), string(kinds)}, ok && cut && err == nil
}

// Line is the record of one call of gpu.Printf.
type Line struct {
	Kernel, Format int
	Thread, Block  [3]int
	Values         []uint64
}

// DecodeLines reads the lines of a buffer, in their order, and how many were lost.
func DecodeLines(mem []byte) (lines []Line, lost uint64) {
	u32 := func(b []byte, off int) int { return int(binary.LittleEndian.Uint32(b[off:])) }
	u64 := func(off int) uint64 { return binary.LittleEndian.Uint64(mem[off:]) }
	end := min(u64(PrintOffUsed), u64(PrintOffSize), ^u64(PrintOffMark), uint64(len(mem)-PrintHeader))
	for b := mem[PrintHeader : PrintHeader+end]; len(b) >= LineHeader; {
		size := u32(b, LineOffSize)
		if size < LineHeader || size > len(b) {
			break
		}
		l := Line{Kernel: u32(b, LineOffKernel), Format: u32(b, LineOffFormat)}
		for i := range 3 {
			l.Thread[i], l.Block[i] = u32(b, LineOffTid+4*i), u32(b, LineOffCtaid+4*i)
		}
		for at := LineHeader; at+8 <= size; at += 8 {
			l.Values = append(l.Values, binary.LittleEndian.Uint64(b[at:]))
		}
		lines = append(lines, l)
		b = b[size:]
	}
	return lines, u64(PrintOffLost)
}
