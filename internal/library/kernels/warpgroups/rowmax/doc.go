// Package rowmax has the products of warpgroups for factors of 16 bits of which only the largest
// element of each row is wanted, and its column: there is no C.
package rowmax
