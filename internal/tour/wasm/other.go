//go:build !(js && wasm)

// Command wasm is the tour's worker, which runs in a browser alone.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this program runs in a browser: build it with GOOS=js GOARCH=wasm, as gridstride tour does")
	os.Exit(2)
}
