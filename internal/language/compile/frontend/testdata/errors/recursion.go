package p

//gpu:kernel
func K(a []int) {
	a[0] = fact(a[0])
	a[1] = even(a[1])
	var n node
	a[2] = n.depth()
	a[3] = gen(3)
	K2(a)
}

func fact(n int) int {
	if n < 2 {
		return 1
	}
	return n * fact(n-1) // ERROR 13:"a kernel cannot recurse .fact calls fact.: use a loop"
}

func even(n int) int { return odd(n - 1) }
func odd(n int) int  { return even(n - 1) } // ERROR 31:"a kernel cannot recurse .even calls odd calls even."

type node struct{ left *node }

func (n *node) depth() int { return n.left.depth() } // ERROR 37:"a kernel cannot recurse .depth calls depth."

func gen[T any](x T) T { return gen[T](x) } // ERROR 33:"a kernel cannot recurse .gen calls gen."

//gpu:kernel
func K2(a []int) { K(a) } // ERROR 20:"a kernel cannot recurse .K calls K2 calls K."
