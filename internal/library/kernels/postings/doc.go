// Package postings finds the documents that are most like queries, on a device, where both are
// sparse: a posting says that a term is in a document, and with which weight.
//
// The products of a score are rounded, and added in the order of the terms' numbers, starting
// with 0: the bits are the same on every device, and in the plain loop in Go. The scores of a
// tile of documents are in shared memory, so that a posting costs no more of memory than its own
// reading.
package postings
