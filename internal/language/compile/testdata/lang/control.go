package lang

// Loops are all kinds of loops, with break, continue and labels.
//
//gpu:kernel
func Loops(in, out []int64) {
	w := writer{out: out}
	sum := int64(0)
	for i := 0; i < len(in); i++ {
		if in[i] < 0 {
			continue
		}
		if in[i] > 1<<40 {
			break
		}
		sum += in[i]
	}
	w.put(sum)
outer:
	for i := range 10 {
		for j := range 10 {
			switch {
			case j == 3:
				continue outer
			case i == 4:
				break outer
			case i+j == 5:
				break
			default:
				w.put(int64(10*i + j))
			}
		}
	}
	n := 5
	for n > 0 {
		n--
		n := n * 2 // another n
		w.put(int64(n))
	}
	for range 3 {
		n++
	}
	w.put(int64(n))
	for i := range uint8(4) {
		w.put(int64(i))
	}
	arr := [4]int64{1, 2, 3, 4}
	for i, v := range arr { // a copy
		arr[3] = 100
		w.put(int64(i) * v)
	}
	for i, v := range &arr {
		arr[3] = 200
		w.put(int64(i) * v)
	}
	for i := range arr {
		w.put(arr[i])
	}
	s := arr[1:3]
	for i, v := range s {
		s = nil
		w.put(int64(i) + v)
	}
	for i := range s {
		w.put(int64(i))
	}
	var i int
	for i = range 4 {
	}
	w.put(int64(i))
	for i, j := 0, 10; i < j; i, j = i+1, j-2 {
		w.put(int64(i * j))
	}
	for {
		i++
		if i > 7 {
			break
		}
	}
	w.put(int64(i))
}

// Switches are switches with fallthrough, several values and no tag.
//
//gpu:kernel
func Switches(in, out []int64) {
	w := writer{out: out}
	for _, v := range in {
		switch x := v & 7; x {
		case 0:
			w.put(100)
		case 1, 2, 3:
			w.put(200 + x)
			fallthrough
		case 4:
			w.put(300)
		default:
			w.put(400)
			if v > 50 {
				break
			}
			w.put(500)
		}
		switch {
		case v < 0:
			w.put(1)
		case v == 0:
			w.put(2)
		}
		switch v {
		}
	}
}

// Gotos jump.
//
//gpu:kernel
func Gotos(in, out []int64) {
	w := writer{out: out}
	i := 0
next:
	if i >= len(in) {
		goto done
	}
	if in[i]&1 == 0 {
		i++
		goto next
	}
	w.put(in[i])
	i++
	goto next
done:
	w.put(int64(i))
}

// Results are functions with several results, named ones, early returns and recursion-free nesting.
//
//gpu:kernel
func Results(in, out []int64) {
	w := writer{out: out}
	for _, v := range in {
		q, r := divMod(v, 10)
		w.put(q)
		w.put(r)
		w.put(named(v))
		w.put(sumDiff(divMod(v, 3)))
		a, b, c := three(v)
		a, b = b, a
		w.put(a)
		w.put(b)
		w.f64(c)
		_, d, _ := three(v + 1)
		w.put(d)
		w.put(variadic(v))
		w.put(variadic(v, 1, 2))
		w.put(variadic(v, in[:2]...))
		base := span{v, 2}
		w.put(base.within(1) + base.within(2, in...) + base.within(3, v, in[0]))
		list := [2]span{{1, v}, base}
		w.put(stretch() + stretch(base, span{3, 4}) + 10*stretch(list[:]...))
		w.put(base.lo + list[1].lo)
		ends := func(xs ...int64) int64 { return xs[0] - 2*xs[len(xs)-1] }
		w.put(ends(v) + ends(1, v) + ends(in...))
		nothing()
	}
}

func nothing() {}

func divMod(x, y int64) (int64, int64) { return x / y, x % y }

func sumDiff(x, y int64) int64 { return (x + y) * (x - y) }

func named(x int64) (y int64) {
	y = 3
	if x < 0 {
		return
	}
	if x > 100 {
		return x
	}
	for range 3 {
		y += x
		if y > 50 {
			return
		}
	}
	y++
	return y
}

func three(x int64) (a, b int64, c float64) {
	a, c = x, float64(x)/2
	b = a + 1
	return
}

func variadic(first int64, rest ...int64) int64 {
	for i, v := range rest {
		first += int64(i+1) * v
	}
	return first + int64(len(rest)*1000+cap(rest[:0:len(rest)]))
}

type span struct{ lo, hi int64 }

func (s *span) within(scale int64, xs ...int64) (n int64) {
	for i, x := range xs {
		if s.lo <= x && x < s.hi {
			n += scale * int64(i+1)
		}
	}
	return n + int64(len(xs))
}

// stretch changes the list of its caller.
func stretch(list ...span) (sum int64) {
	if list == nil {
		return -1
	}
	for i := range list {
		list[i].lo++
		sum += list[i].lo * list[i].hi
	}
	return sum
}

// Shadow declares the same names again and again.
//
//gpu:kernel
func Shadow(in, out []int64) {
	w := writer{out: out}
	x := in[0]
	{
		x := x + 1
		w.put(x)
		{
			x := x + 1
			w.put(x)
		}
		if x := x * 2; x > 10 {
			w.put(x)
		} else if y := x + 3; y > 5 {
			w.put(y)
		} else {
			w.put(x - y)
		}
	}
	w.put(x)
	for x := range 2 {
		x := x + 5
		w.put(int64(x))
	}
	type int64 = float64
	w.f64(int64(x) / 2)
	len := func(int) int { return 42 }
	w.put(int32x(len(3)))
}

func int32x(x int) int64 { return int64(int32(x)) }
