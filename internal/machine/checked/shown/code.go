package shown

import (
	"bufio"
	"encoding/binary"
	"errors"

	"github.com/gridstride/gridstride/internal/machine/sim"
)

// A launch is a sequence of unsigned varints, and of byte strings after their lengths. The program and the
// command are of one version: the first number says which form they have.
const form = 1

// write writes the launch. Flush of the writer has the errors.
func (s *Launch) write(to *bufio.Writer) {
	w := writer{to}
	i := s.Image
	w.numbers(form)
	w.texts(s.Kernel, s.From, s.Why, i.Name, i.PTX, i.Entry, string(i.Params))
	w.numbers(i.SM, i.Device, i.Shared)
	for _, d := range [][3]int{i.Grid, i.Block, i.Cluster} {
		w.numbers(d[:]...)
	}
	w.numbers(len(i.Memory))
	for _, b := range i.Memory {
		readOnly := 0
		if b.ReadOnly {
			readOnly = 1
		}
		w.numbers(int(b.Addr), readOnly, int(b.Owner))
		w.texts(b.Name)
		w.numbers(len(b.Bytes))
		w.to.Write(b.Bytes)
	}
	w.numbers(len(s.Missing))
	for _, r := range s.Missing {
		w.numbers(int(r.Addr), int(r.N))
	}
}

type writer struct{ to *bufio.Writer }

func (w writer) numbers(list ...int) {
	var b [binary.MaxVarintLen64]byte
	for _, n := range list {
		w.to.Write(b[:binary.PutUvarint(b[:], uint64(n))])
	}
}

func (w writer) texts(list ...string) {
	for _, s := range list {
		w.numbers(len(s))
		w.to.WriteString(s)
	}
}

// errForm is the error of bytes that are no launch.
var errForm = errors.New("a launch of the program cannot be read: is it built with another version of gridstride?")

// read reads what write has written. The launch refers to the bytes.
func read(b []byte) (*Launch, error) {
	r := &reader{rest: b}
	s, i := &Launch{}, &sim.Image{}
	s.Image = i
	if r.number() != form {
		return nil, errForm
	}
	for _, to := range []*string{&s.Kernel, &s.From, &s.Why, &i.Name, &i.PTX, &i.Entry} {
		*to = string(r.bytes())
	}
	i.Params = r.bytes()
	i.SM, i.Device, i.Shared = r.number(), r.number(), r.number()
	for _, d := range []*[3]int{&i.Grid, &i.Block, &i.Cluster} {
		*d = [3]int{r.number(), r.number(), r.number()}
	}
	for range r.count() {
		var m sim.ImageMemory
		m.Addr, m.ReadOnly, m.Owner = uint64(r.number()), r.number() == 1, sim.ImageOwner(r.number())
		m.Name, m.Bytes = string(r.bytes()), r.bytes()
		i.Memory = append(i.Memory, m)
	}
	for range r.count() {
		s.Missing = append(s.Missing, Range{uint64(r.number()), uint64(r.number())})
	}
	if r.failed || len(r.rest) > 0 {
		return nil, errForm
	}
	return s, nil
}

type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) number() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.failed, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// count is a number of things that take a byte each at least.
func (r *reader) count() int {
	n := r.number()
	if n < 0 || n > len(r.rest) {
		r.failed, r.rest = true, nil
		return 0
	}
	return n
}

func (r *reader) bytes() []byte {
	n := r.count()
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}
