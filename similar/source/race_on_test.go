//go:build race

package source_test

// childMemory is the limit of a child's memory. The race detector takes most of it.
const childMemory = 512 << 20
