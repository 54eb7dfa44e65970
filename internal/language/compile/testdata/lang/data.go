package lang

import "unsafe"

type vec struct{ x, y float64 }

func (v vec) add(w vec) vec        { return vec{v.x + w.x, v.y + w.y} }
func (v *vec) scale(f float64)     { v.x *= f; v.y *= f }
func (v vec) dot(w vec) float64    { return v.x*w.x + v.y*w.y }
func (v vec) scaled(f float64) vec { v.scale(f); return v }

type body struct {
	vec
	speed *vec
	mass  float32
	tags  [3]uint8
	_     int32
	on    bool
}

func (b *body) step(n int) {
	for range n {
		b.vec = b.add(b.speed.scaled(0.5))
	}
}

// Structs are methods, embedding, promoted methods, comparison, copies and pointers.
//
//gpu:kernel
func Structs(in, out []int64) {
	w := writer{out: out}
	v := vec{float64(in[0]), float64(in[1])}
	u := vec{y: 2}
	u.scale(3)
	w.f64(v.dot(u))
	p := &v
	p.scale(0.5)
	w.f64(p.dot(*p))
	w.f64(v.add(u).add(u).x)
	b := body{vec: v, speed: &u, mass: 1.5, tags: [3]uint8{1, 2, 3}}
	b.step(2)
	b.scale(2) // promoted, with a pointer receiver
	w.put(int64(unsafe.Sizeof(b) + unsafe.Offsetof(b.mass)))
	w.put(sizeOf[body]() + sizeOf[int16]())
	w.f64(b.dot(u))
	w.f64(b.x)
	c := b
	c.tags[1] = 77
	c.on = true
	w.bool(b == c)
	c.tags[1], c.on = 2, false
	w.bool(b == c)
	c.vec.y++
	w.bool(b != c)
	w.put(int64(c.tags[in[2]&1]))
	f := (*vec).scale
	f(&c.vec, 4)
	g := vec.dot
	w.f64(g(c.vec, u))
	anon := struct {
		a int8
		b struct{ c uint16 }
	}{a: -1}
	anon.b.c = 65535
	anon.b.c += 2
	w.put(int64(anon.a) + int64(anon.b.c))
	var zero body
	w.bool(zero.speed == nil)
	w.bool(zero == body{})
	q := &c
	q.speed = &q.vec
	q.speed.x = 9
	w.f64(c.x)
	pp := &q
	(*pp).mass = 3
	w.f32(c.mass)
	bodies := [2]body{b, c}
	bodies[1].tags[2] = 5
	i := in[2] & 1
	bodies[i].x = 4
	w.f64(bodies[0].x + bodies[1].x)
	w.put(int64(bodies[i].tags[2]))
	swap(&bodies[0].x, &bodies[1].x)
	w.f64(bodies[0].x)
}

func swap[T any](a, b *T) { *a, *b = *b, *a }

// Arrays are arrays as values, nested, compared, indexed by variables, large ones as well.
//
//gpu:kernel
func Arrays(in, out []int64) {
	w := writer{out: out}
	a := [5]int16{1, 2, 3, 4, 5}
	b := a
	b[2] = -9
	w.bool(a == b)
	w.put(int64(b[2]))
	i := int(in[0] & 3)
	w.put(int64(a[i]))
	a[i+1] *= 3
	w.put(int64(reverse(a)[i]))
	m := [3][4]int32{{1, 2, 3, 4}, {5, 6}, 2: {9}}
	m[i&1][i] += 10
	row := m[1]
	m[1][0] = 77
	for _, r := range m {
		for _, v := range r {
			w.put(int64(v))
		}
	}
	w.put(int64(row[0]))
	w.bool(m[0] == [4]int32{1, 2, 3, 4})
	var large [200]int64
	for j := range large {
		large[j] = int64(j * j)
	}
	copied := large
	copied[i] = -1
	w.bool(large == copied)
	w.put(sum(copied))
	copied[i] = large[i]
	w.bool(large == copied)
	choice := large
	if in[1] > 0 {
		choice = mirror(large)
	}
	w.put(choice[i])
	w.put(choice[3])
	for range 3 {
		choice, copied = copied, choice
	}
	w.put(choice[4] + copied[5])
	type pair struct {
		big  [70]uint8
		tail int64
	}
	pr := pair{tail: 4}
	pr.big[i] = 9
	pq := pr
	w.bool(pr == pq)
	pq.big[69]++
	w.bool(pr == pq)
	w.put(int64(pq.big[69]) + pq.tail)
	w.put(int64([...]int8{3: 4, 9}[4]))
	w.put(int64([3]int8{7, 8, 9}[i%3]))
	var empty [0]int
	for range empty {
		w.put(1)
	}
	large = [200]int64{}
	w.put(sum(large))
}

func reverse(a [5]int16) [5]int16 {
	for i, j := 0, 4; i < j; i, j = i+1, j-1 {
		a[i], a[j] = a[j], a[i]
	}
	return a
}

func sum(a [200]int64) (s int64) {
	for _, v := range a {
		s += v
	}
	return s
}

func mirror(a [200]int64) [200]int64 {
	var b [200]int64
	for i := range a {
		b[len(b)-1-i] = a[i]
	}
	if a[1] > 100 {
		return a
	}
	return b
}

// Slices are slicing, copy, clear, literals and conversions to arrays.
//
//gpu:kernel
func Slices(in, out []int64) {
	w := writer{out: out[100:]}
	s := in[1:4]
	w.put(int64(len(s)))
	w.put(s[0] + s[2])
	t := s[1:2:3]
	w.put(int64(len(t)*10 + cap(t)))
	t = t[:2]
	w.put(t[1])
	n := copy(out, in)
	w.put(int64(n))
	w.put(int64(copy(out[2:], out[:5]))) // overlapping, upwards
	for _, v := range out[:8] {
		w.put(v)
	}
	copy(out[:5], out[1:]) // downwards
	for _, v := range out[:8] {
		w.put(v)
	}
	var buf [8]int32
	local := buf[2:]
	for i := range local {
		local[i] = int32(i + 1)
	}
	clear(local[2:4])
	for _, v := range buf {
		w.put(int64(v))
	}
	arr := [4]int32(local)
	arr[0] = 50
	ptr := (*[4]int32)(local)
	ptr[1] = 60
	w.put(int64(arr[1] + local[1]))
	var none []int64
	w.bool(none == nil)
	w.bool(s != nil)
	w.put(int64(len(none) + len(none[0:0]) + cap(none)))
	for _, d := range []int64{-1, 0, 1} {
		w.put(d)
	}
	words := []vec{{1, 2}, {3, 4}}
	words[1].x = 7
	w.f64(words[1].dot(words[0]))
	nested := [][]int64{in[:1], in[1:3]}
	w.put(nested[1][1] + int64(len(nested[0])))
	p := &s[1]
	*p += 5
	w.put(in[2])
	*p -= 5
	bytes := [4]byte{1, 2, 3, 4}
	view := bytes[:]
	copy(view[1:], view)
	w.put(int64(bytes[1]) + int64(bytes[3])*100)
	for most := range len(in) + 1 { // as many as both have, of an array of the thread's own and a slice
		var few [4]int64
		w.put(int64(copy(few[:], in[most:])))
		w.put(few[0] + 10*few[1] + 100*few[3])
		var pairs [3]vec
		w.put(int64(copy(pairs[:], words[min(most, len(words)):])))
		w.f64(pairs[0].x + 10*pairs[2].y)
		w.put(int64(copy(out[:min(most, 6)], few[1:])))
		w.put(out[0] + 10*out[2])
	}
	big := [3][80]int16{{1}, {2}, {3}}
	copy(big[1:], big[:])
	w.put(int64(big[1][0]) + int64(big[2][0])*10)
	clear(big[:2])
	w.put(int64(big[1][0]) + int64(big[2][0])*10)
	full := out[50:60]
	full[len(full)-1] = 3
	w.put(int64(len(full[3:])))
	k := uint8(in[0] & 3)
	w.put(in[k] + in[int16(k)+1])
	w.put(int64(len(in[k:])))
}

// Pointers are addresses of variables, fields and elements, and what is nil.
//
//gpu:kernel
func Pointers(in, out []int64) {
	w := writer{out: out}
	x, y := in[0], in[1]
	p := &x
	if in[2] > 0 {
		p = &y
	}
	*p = 99
	w.put(x)
	w.put(y)
	increment(&x)
	increment(p)
	w.put(x + y)
	var none *int64
	w.bool(none == nil)
	w.bool(p != none)
	w.bool(p == &x)
	q := &p
	**q += 1
	*q = &x
	*p = 5
	w.put(x)
	v := &vec{1, 2}
	v.scale(3)
	w.f64(v.y)
	ptrs := [3]*int64{&x, &y, &in[3]}
	for i, p := range ptrs {
		*p += int64(i)
	}
	w.put(x + y)
	w.put(in[3])
	in[3] -= 2
	i := in[0] & 1
	*ptrs[i] = 1
	w.put(x*1000 + y)
	list := node{1, &node{2, &node{3, nil}}}
	for n := &list; n != nil; n = n.next {
		w.put(n.value)
	}
}

type node struct {
	value int64
	next  *node
}

func increment(p *int64) { *p++ }

// sizeOf is a size that is known only for an instance.
func sizeOf[T any]() int64 {
	var v T
	return int64(unsafe.Sizeof(v)) << 8 / int64(unsafe.Alignof(v))
}
