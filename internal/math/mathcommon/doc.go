// Package mathcommon is what packages math32 and math64 share: the algorithms that are the same for
// both types, but for constants and polynomials, which the callers give.
package mathcommon
