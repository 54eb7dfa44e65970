// Package onepass is the common part of kernels that go through one or two vectors of a device
// once: how a thread finds its elements, 16 bytes at a time if the vectors allow it, and how the
// threads' results become one, in the same launch. [Take] and [TakePairs] are the first half, and
// [Finish] is the second. [Split] is the host's side.
//
// A result has the same bits each time and on every device: elements are combined in an order that
// depends on their number, on the increments, and on where vectors begin within 16 bytes.
package onepass
