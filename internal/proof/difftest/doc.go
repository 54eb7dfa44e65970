// Package difftest is the differential fuzzer: Go on the host and a device, with the PTX, run random
// kernels (package gen) and must agree on every bit and every failure. They are compared in every
// bit of every slice, and in which threads fail, where and with what message.
//
// The host runs the very files that the compiler reads, built by the Go toolchain with a substitute
// for package gpu (package host/gpu) that knows the thread index. A block's threads take turns
// there, and switch whenever one waits for others.
//
// [Program.Compare] says what is compared, and how. Package gen says what the programs avoid
// because Go leaves it open.
//
// A program is one Go file, so it can be kept: testdata/programs holds those that once found a
// mistake, and some that are hard for other reasons. A campaign is run by the command:
//
//	go run ./internal/proof/difftest/cmd -n 20000 -seed 1
//
// A program that differs is reduced to a small one and printed with both results.
//
// A bundle takes programs to a GPU machine without Go: compiled, run by the host and the simulator,
// which had to agree, and with what they left. The command says how.
package difftest
