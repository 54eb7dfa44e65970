// Package nccl binds NCCL, NVIDIA's library of collectives between GPUs, without cgo: its calls with
// typed errors, and no policy. Package comm decides what NCCL is used for. The manual of the calls is
// https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api.html, for all GPUs of one process or a GPU of each.
//
// NCCL keeps the state of a group of calls in the calling OS thread, so [Library.Group] locks it.
// Groups of all communicators that [Library.InitAll] makes are queued one after the other: two that
// the GPUs take in different orders may wait for each other.
package nccl
