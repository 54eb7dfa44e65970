//go:build !unix

package similar_test

func makePipe(string) error { panic("BUG: a pipe where there are none") }
