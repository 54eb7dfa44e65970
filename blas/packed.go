package blas

// packed is a vector of adjacent elements: the vector itself, or a copy of it.
type packed[T Float] struct {
	data, x []T
	inc     int
	buf     *buffer[T] // nil if data is the vector itself
}

func pack[T Float](n int, x []T, inc int) packed[T] {
	if inc == 1 {
		return packed[T]{data: x[:n]}
	}
	buf := getBuffer[T](n)
	p := packed[T]{buf.data[:n], x, inc, buf}
	for i, at := 0, first(n, inc); i < n; i, at = i+1, at+inc {
		p.data[i] = x[at]
	}
	return p
}

// write puts the elements back.
func (p packed[T]) write() {
	if p.buf == nil {
		return
	}
	at := first(len(p.data), p.inc)
	for _, v := range p.data {
		p.x[at] = v
		at += p.inc
	}
}

func (p packed[T]) free() {
	if p.buf != nil {
		putBuffer(p.buf)
	}
}
