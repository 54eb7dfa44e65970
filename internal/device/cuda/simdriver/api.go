//go:build linux

package simdriver

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// Function is a function of the driver's public API.
type Function struct {
	// Base is the name that programs write, and Name the one that the library exports: what has
	// changed since is another function, whose name ends in _v2.
	Base, Name string
	Since      cuda.Version
	// Args are its arguments, one letter each: p for 64 bits, i for 32 bits, s for a
	// structure of 64 bytes that is passed by value.
	Args string
}

// functionsText has a function a line: its name, the version of CUDA that it came with, its arguments.
//
//go:embed functions.txt
var functionsText string

// Functions are the functions of the public API, sorted by name. The position of a function is its
// number for Guest.Call.
var Functions = sync.OnceValue(func() []Function {
	var list []Function
	for text := range strings.Lines(functionsText) {
		f := strings.Fields(text)
		since, err := strconv.Atoi(f[1])
		if err != nil {
			panic("BUG: functions.txt: " + text)
		}
		base := f[0]
		if n := len(base); base[n-3:n-1] == "_v" {
			base = base[:n-3]
		}
		list = append(list, Function{base, f[0], cuda.Version(since), strings.Trim(f[2], "-")})
	}
	return list
})

// versionsOf are the positions of the functions of a base name, the oldest first.
var versionsOf = sync.OnceValue(func() map[string][]int {
	m := map[string][]int{}
	for i, f := range Functions() {
		m[f.Base] = append(m[f.Base], i)
	}
	return m
})

// resultsText has a result a line: its number, its name, what cuGetErrorString says.
//
//go:embed results.txt
var resultsText string

var results = sync.OnceValue(func() map[cuda.Result][2]string {
	m := map[cuda.Result][2]string{}
	for line := range strings.Lines(resultsText) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, text, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			panic("BUG: results.txt: " + line)
		}
		m[cuda.Result(n)] = [2]string{name, text}
	}
	return m
})

// resultTexts are a result's name and meaning, empty for what is no result.
func resultTexts(r cuda.Result) (name, text string) {
	t := results()[r]
	return t[0], t[1]
}
