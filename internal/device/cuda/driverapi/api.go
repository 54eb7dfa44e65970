// Package driverapi is a table of CUDA's public driver API: the functions that libcuda.so.1 exports, the
// version of CUDA that each came with, the sizes of their arguments, and the results. From it are
// made the library in C that programs load, and what the simulated driver answers to it.
//
// NVIDIA's documentation, "CUDA Driver API", has the names and the arguments.
package driverapi

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// Function is a function of the driver's public API. Since is the version of CUDA that it came with,
// 12000 for 12.0.
type Function struct {
	// Base is the name that programs write, and Name the one that the library exports. A function
	// that has changed since has a second one next to it, whose name ends in _v2.
	Base, Name string
	Since      int
	// Args are its arguments, one letter each: p for 64 bits, i for 32 bits, f for a float,
	// s for a structure of 64 bytes that is passed by value.
	Args string
}

// functionsText has a function a line: its name, the version of CUDA that it came with, its arguments.
//
//go:embed functions.txt
var functionsText string

// MaxArgs is the most arguments that a function of the API has.
const MaxArgs = 16

// Functions are the functions of the public API, sorted by name. The position of a function is its
// number.
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
		list = append(list, Function{base, f[0], since, strings.Trim(f[2], "-")})
	}
	return list
})

// VersionsOf are the positions of the functions of a base name, the oldest first.
var VersionsOf = sync.OnceValue(func() map[string][]int {
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

var results = sync.OnceValue(func() map[int][2]string {
	m := map[int][2]string{}
	for line := range strings.Lines(resultsText) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, text, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			panic("BUG: results.txt: " + line)
		}
		m[n] = [2]string{name, text}
	}
	return m
})

// Result is a CUresult's name and meaning, empty for what is no result.
func Result(number int) (name, text string) {
	t := results()[number]
	return t[0], t[1]
}
