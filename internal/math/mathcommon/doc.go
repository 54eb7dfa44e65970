// Package mathcommon has the algorithms that packages math32 and math64 share. The callers pass the
// constants and polynomials, which differ between the types.
package mathcommon
