// Package along has the matrix products of warpgroups for factors that tensor cores take along k
// alone: TF32, int8, and float32 as sums of three BFloat16.
package along
