package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/checked/shown"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/tour/link"
)

// sharer makes a link to the tour of a launch that a test shows.
type sharer struct {
	shown *shown.Launch
	entry *sim.Entry
	elems map[string]ptx.Type // of buffers, by the parameter
}

// link is the address of a page of the tour with the kernel's PTX and its arguments. The error says what
// of the launch a link cannot carry.
func (s *sharer) link(tour string) (string, error) {
	i := s.shown.Image
	if s.elems == nil {
		return "", errors.New("a link needs a kernel in Go, of a package of the module at hand that compiles")
	}
	if i.Shared > 0 || i.Cluster != [3]int{} && i.Cluster != [3]int{1, 1, 1} {
		return "", errors.New("a link carries no dynamic shared memory and no clusters")
	}
	l := link.Launch{Kernel: i.Entry, Grid: i.Grid[:], Block: i.Block[:]}
	var used []sim.ImageMemory
	for k, p := range s.entry.Params {
		if s.entry.IsLength(k) || p.Name == abi.FaultParam {
			continue
		}
		text, memory, err := s.argument(k)
		if err != nil {
			return "", fmt.Errorf("argument %s: %w", p.Name, err)
		}
		if memory != nil && slices.ContainsFunc(used, func(m sim.ImageMemory) bool { return m.Addr == memory.Addr }) {
			return "", fmt.Errorf("argument %s: another argument is of the same memory, and a link has a buffer for each", p.Name)
		}
		if memory != nil {
			used = append(used, *memory)
		}
		l.Args = append(l.Args, text)
	}
	return link.To(tour, link.Program{Text: i.PTX, Launch: l})
}

// argument is a parameter as package argspec has it, and the memory that it points to, nil for a scalar.
func (s *sharer) argument(k int) (string, *sim.ImageMemory, error) {
	p := s.entry.Params[k]
	value := s.shown.Image.Params[p.Offset : p.Offset+p.Size]
	elem, buffer := s.elems[p.Name]
	if !buffer {
		if p.Ptr != nil || p.Size > 8 {
			return "", nil, errors.New("a link carries numbers, and slices of numbers, of kernels in Go")
		}
		return fmt.Sprintf("%s=%s", p.Type, number(p.Type, value)), nil, nil
	}
	if k+1 >= len(s.entry.Params) || !s.entry.IsLength(k+1) {
		return "", nil, errors.New("its length is not known")
	}
	length := s.entry.Params[k+1]
	n := binary.LittleEndian.Uint64(s.shown.Image.Params[length.Offset:])
	if n == 0 {
		return "", nil, errors.New("it has no elements, and a buffer of a link has some")
	}
	addr := binary.LittleEndian.Uint64(value)
	for _, m := range s.shown.Image.Memory {
		off := addr - m.Addr
		if addr < m.Addr || off > uint64(len(m.Bytes)) || n > (uint64(len(m.Bytes))-off)/uint64(elem.Bytes()) {
			continue
		}
		text, err := s.contents(elem, m.Bytes[off:off+n*uint64(elem.Bytes())], addr)
		return fmt.Sprintf("%s[%d]%s", elem, n, text), &m, err
	}
	return "", nil, errors.New("it points to no memory")
}

// contents are the elements of a buffer: nothing if none is written, a constant, a ramp, or all of them.
func (s *sharer) contents(elem ptx.Type, b []byte, addr uint64) (string, error) {
	for _, r := range s.shown.Missing {
		if addr >= r.Addr && addr+uint64(len(b)) <= r.Addr+r.N {
			return "", nil
		}
	}
	size := int(elem.Bytes())
	var list []string
	same, ramp := true, true
	for i := 0; i < len(b); i += size {
		text := number(elem, b[i:i+size])
		same = same && (i == 0 || text == list[0])
		ramp = ramp && text == strconv.Itoa(i/size)
		if list = append(list, text); !same && !ramp && len(list) > link.MostArg/2 {
			break
		}
	}
	text := "=" + strings.Join(list, ",")
	switch {
	case ramp:
		return "=ramp", nil
	case same:
		return "=" + list[0], nil
	case len(text) > link.MostArg-20:
		return "", fmt.Errorf("its %d elements are no ramp and not all the same, and written out they have more than the %d bytes that an argument of a link may have",
			len(b)/size, link.MostArg)
	}
	return text, nil
}

// number is a number in memory, as argspec reads it.
func number(t ptx.Type, b []byte) string {
	var w [8]byte
	copy(w[:], b)
	bits := binary.LittleEndian.Uint64(w[:])
	unused := 64 - 8*len(b)
	switch {
	case t == ptx.F32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case t == ptx.F64:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case strings.HasPrefix(string(t), "s"):
		return strconv.FormatInt(int64(bits<<unused)>>unused, 10)
	}
	return strconv.FormatUint(bits, 10)
}
