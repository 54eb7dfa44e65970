// Package kernels has the kernels of package parallel. They are open: an instance is compiled with
// the package whose types and operators it is for.
//
//   - operator.go says what operators are;
//   - chain.go and words.go hand sums and counts from tile to tile within one launch;
//   - reduce.go, scan.go, segments.go, selection.go, radix.go, merge.go, histogram.go, shuffle.go and
//     each.go are the algorithms.
package kernels
