// Package fused has the matrix products of warpgroups for factors of 16 bits that do more with
// their sums than add them to C: what package epilogue has.
package fused
