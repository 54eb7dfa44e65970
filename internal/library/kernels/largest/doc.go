// Package largest chooses the largest elements of each row of a matrix that comes in strips of
// columns, one behind the other, so that there is never more of it than a strip.
package largest
