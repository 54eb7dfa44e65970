// Package warpgroups has the matrix products of GPUs of 9.0, whose warpgroups multiply tiles in
// shared memory (wgmma) while others bring the next.
package warpgroups
