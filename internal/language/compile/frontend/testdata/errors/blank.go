package p

import "io"

// A declaration of the blank identifier is not what an assignment to it means.
var _ io.Reader = (*file)(nil)

const _ = 1

type file struct{ io.Reader }

//gpu:kernel
func Blank(a []int32) {
	_ = a[0]
	for _, x := range a {
		_ = x
	}
}
