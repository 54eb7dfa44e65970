// Package rowmax has the products of warpgroups for factors of 16 bits that keep only the largest
// element of each row, and its column: there is no C.
package rowmax
