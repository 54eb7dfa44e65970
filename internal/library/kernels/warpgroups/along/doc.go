// Package along has the matrix products of warpgroups for factors that tensor cores take from
// shared memory along k alone: TF32, int8, and float32 as sums of three BFloat16. A B of TF32 may
// be across k: it goes through registers.
package along
