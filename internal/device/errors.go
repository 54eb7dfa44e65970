package device

import (
	"errors"
	"fmt"
)

// The kinds of failure that the host and the backends both know. Package gridstride says what they
// mean to a caller.
var (
	ErrClosed      = errors.New("closed")
	ErrLost        = errors.New("device lost")
	ErrLimit       = errors.New("over a limit")
	ErrOutOfMemory = errors.New("out of device memory")
	ErrTimeLimit   = errors.New("over the time limit")
	ErrCapture     = errors.New("cannot be captured")
	ErrTarget      = errors.New("PTX is not for this device")
)

// kindError is an error with its own message, for which errors.Is finds the kind and the cause.
type kindError struct {
	kind, cause error
	msg         string
}

func (e *kindError) Error() string { return e.msg }

// Unwrap returns the kind, and the cause if there is one.
func (e *kindError) Unwrap() []error {
	if e.cause == nil {
		return []error{e.kind}
	}
	return []error{e.kind, e.cause}
}

// Errorf makes an error of a kind. A %w in the format would be lost: the error wraps only the kind.
func Errorf(kind error, format string, args ...any) error {
	return &kindError{kind: kind, msg: fmt.Sprintf(format, args...)}
}

// Because makes an error of a kind with a cause, whose text ends the message.
func Because(kind, cause error, format string, args ...any) error {
	return &kindError{kind, cause, fmt.Sprintf(format, args...) + ": " + cause.Error()}
}
