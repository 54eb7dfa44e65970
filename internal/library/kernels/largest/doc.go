// Package largest chooses the largest elements of each row of a matrix that arrives in strips of
// columns, one after the other, so that only a strip of it exists at a time.
package largest
