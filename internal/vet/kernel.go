package vet

import (
	"go/ast"
	"strconv"
	"strings"
)

// kernel is what the directive above a kernel says. What is wrong with a directive is the
// compiler's to say.
type kernel struct {
	block [3]int              // threads of a block, zero when free
	types map[string][]string // T=float32,float64
}

// readDirective reads the //gpu:kernel line above a function, nil if it is no kernel.
func readDirective(decl *ast.FuncDecl) *kernel {
	if decl.Doc == nil {
		return nil
	}
	for _, c := range decl.Doc.List {
		words := strings.Fields(c.Text)
		if len(words) == 0 || words[0] != "//gpu:kernel" {
			continue
		}
		k := &kernel{types: map[string][]string{}}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			if key == "block" {
				k.block = blockSize(value)
			} else {
				k.types[key] = strings.Split(value, ",")
			}
		}
		return k
	}
	return nil
}

// blockSize reads 256, 16x16 or 8x8x4.
func blockSize(text string) [3]int {
	block := [3]int{1, 1, 1}
	for i, s := range strings.SplitN(text, "x", 3) {
		n, err := strconv.Atoi(s)
		if err != nil {
			return [3]int{}
		}
		block[i] = n
	}
	return block
}
