// Package engines compares compiled kernels with loops in Go, with the interpreter, and with twins in
// OpenCL on POCL. Its tests hold them to each other's results. This measures:
//
//	go test -run TestMeasure ./internal/proof/engines -args -measure results.json
//
// POCL is Debian's pocl-opencl-icd. The rival's host program (testdata/pocl) needs a C compiler and
// ocl-icd-opencl-dev. Without them the test says so, and measures the rest.
package engines
