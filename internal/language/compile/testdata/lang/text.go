package lang

const digits = "0123456789abcdef"

var (
	greeting = "grüße, 世界 \xff\xe4\xb8 \xc0\x80\xe0\x80\x80\xed\xa0\x80\xf4\x90\x80\x80\xf0\x80\x80\x80\xf5\x80\u07ff\u0800\uffff\ufffd\U0010ffff\xf0\x9f\x98\U0001F600."
	months   = [...]string{"Jan", "Feb", "Mar", "Apr", "May", "June", "July", ""}
	units    = []struct {
		name   string
		factor float64
	}{{"mm", 1e-3}, {"inch", 0.0254}, {name: "m", factor: 1}, {"μm", 1e-6}}
	joined = "con" + "stant"
	codes  = []byte("codes of bytes")
	runes  = [3]rune{'a', 'ß', '世'}
	chosen = pickName(3)
)

func pickName(n int) string {
	if n > 2 {
		return months[n]
	}
	return "few"
}

type labelled struct {
	id   int8
	name string
}

// Text indexes, slices, compares and ranges over strings that are constants in the end.
//
//gpu:kernel
func Text(in, out []int64) {
	w := writer{out: out}
	i := int(in[0])
	w.put(int64(digits[i&15]))
	w.put(hash(digits) + hash(greeting) + hash(months[i&7]))
	for at, r := range greeting {
		w.put(int64(at)<<32 | int64(r))
	}
	for at := range "añb" {
		w.put(int64(at))
	}
	s := "first"
	if in[1] > 4 {
		s = "second string"
	}
	w.put(hash(s) + int64(len(s)))
	w.put(hash(s[1:4]) + hash(s[i&3:]))
	for _, t := range months {
		w.bool(t < s)
		w.bool(t == months[i&7])
	}
	w.bool(s == "second string")
	w.bool(min(s, "medium", joined) == joined)
	w.bool(max(s, "medium", joined) >= "second")
	switch months[uint(in[1])%8] {
	case "Mar", "Apr":
		w.put(1)
	case "":
		w.put(2)
	default:
		w.put(3)
	}
	u := units[i&3]
	w.put(hash(u.name) + int64(len(u.name)))
	w.f64(u.factor)
	x, y := labelled{1, months[i&3]}, labelled{1, "Feb"}
	w.bool(x == y)
	y.name = x.name[:len(x.name)]
	w.bool(x == y)
	list := [3]string{s, "two", chosen}
	w.put(hash(list[uint(i)%3]))
	w.put(sumBytes([]byte("bytes of a string")) + sumBytes(codes))
	b := []byte("changed")
	b[i&3] = 'X'
	w.put(sumBytes(b) + int64(len(b)))
	var buf [8]byte
	w.put(int64(copy(buf[1:], "a long string")))
	w.put(sumBytes(buf[:]))
	for _, r := range []rune("añ世") {
		w.put(int64(r + runes[i&1]))
	}
	w.put(int64(len([]byte(""))))
	if in[2] == 33 {
		fail(i, "in a function that is called")
	}
	w.put(int64(months[4][i])) // fails on some inputs
	w.put(hash(s[i:2]))
}

func fail(i int, why string) {
	if i != 77 {
		panic(why)
	}
}

func hash(s string) int64 {
	h := int64(7)
	for i := range len(s) {
		h = h*31 + int64(s[i])
	}
	return h
}

func sumBytes(b []byte) (n int64) {
	for i, x := range b {
		n += int64(x) * int64(i+1)
	}
	return n
}
