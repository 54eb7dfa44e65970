//go:build !race

package source_test

// childMemory is the limit of a child's memory.
const childMemory = 128 << 20
