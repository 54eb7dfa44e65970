package segment

import (
	"errors"
	"fmt"
)

// Damaged is the error of a file that package similar wrote and that was changed since, or cut off.
// A file may be damaged although its checksums are right. It is an ErrDamaged.
type Damaged struct {
	File string // its path
	What string // the fault
}

func (d *Damaged) Error() string {
	return fmt.Sprintf("%s: %v: %s; put back a copy of the index, or index the documents again", d.File, ErrDamaged, d.What)
}

// Is reports whether err is ErrDamaged.
func (d *Damaged) Is(err error) bool { return err == ErrDamaged }

// damaged returns the error of a file whose name its caller knows.
func damaged(format string, args ...any) error { return &Damaged{What: fmt.Sprintf(format, args...)} }

// Named returns the error with the name of the file that it is about.
func Named(file string, err error) error {
	if d, ok := errors.AsType[*Damaged](err); ok {
		return &Damaged{file, d.What}
	}
	return fmt.Errorf("%s: %w", file, err)
}

// Damaged returns the error of the segment's file.
func (s *Segment) Damaged(format string, args ...any) error {
	return Named(s.file, damaged(format, args...))
}

// fail notes that the file is damaged, for Err.
func (s *Segment) fail(format string, args ...any) {
	s.fault.CompareAndSwap(nil, &Damaged{s.file, fmt.Sprintf(format, args...)})
}

// Err returns the first damage that was found by methods that return no error, or nil. What they
// have returned since is of no use.
func (s *Segment) Err() error {
	if d := s.fault.Load(); d != nil {
		return d
	}
	return nil
}
