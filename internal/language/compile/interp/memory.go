package interp

import (
	"encoding/binary"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// at is size bytes of memory.
func (m *machine) at(v *ir.Value, ptr uint64, size int64) ([]byte, error) {
	o, off, ok := m.Find(ptr)
	if !ok || off+size > int64(len(o.Data)) {
		return nil, fail(v, "it goes beyond a variable")
	}
	return o.Data[off : off+size], nil
}

func (m *machine) load(v *ir.Value) error {
	n := max(v.Lanes, 1)
	size := v.Mem.Size()
	data, err := m.at(v, m.vals[v.Args[0].ID], int64(n*size))
	if err != nil {
		return err
	}
	lanes := make([]uint64, n)
	for i := range lanes {
		lanes[i] = extended(v.Mem, read(data[i*size:(i+1)*size]))
	}
	if v.Lanes > 0 {
		m.lanes[v] = lanes
		return nil
	}
	m.vals[v.ID] = lanes[0]
	return nil
}

func (m *machine) store(v *ir.Value) error {
	size := v.Mem.Size()
	data, err := m.at(v, m.vals[v.Args[0].ID], int64(size*(len(v.Args)-1)))
	if err != nil {
		return err
	}
	for i, x := range v.Args[1:] {
		write(data[i*size:(i+1)*size], m.vals[x.ID])
	}
	return nil
}

// extended is the value of bits that are in memory as m.
func extended(m ir.Mem, bits uint64) uint64 {
	switch m {
	case ir.S8:
		return uint64(uint32(int32(int8(bits))))
	case ir.S16:
		return uint64(uint32(int32(int16(bits))))
	}
	return bits
}

func read(data []byte) uint64 {
	var word [8]byte
	copy(word[:], data)
	return binary.LittleEndian.Uint64(word[:])
}

func write(data []byte, bits uint64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	copy(data, word[:])
}
