package query

import (
	"fmt"
	"unicode/utf8"
)

// An Error says what is wrong with the text of a query, and where.
type Error struct {
	Query   string
	Offset  int // byte of Query
	Problem string
}

// Column returns the place in characters, from 1.
func (e *Error) Column() int { return utf8.RuneCountInString(e.Query[:e.Offset]) + 1 }

// Error names the place and the problem.
func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column(), e.Problem) }
