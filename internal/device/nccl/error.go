package nccl

import "fmt"

// Result is an ncclResult_t.
type Result int

// The results, as the manual names them.
const (
	Success Result = iota
	UnhandledCudaError
	SystemError
	InternalError
	InvalidArgument
	InvalidUsage
	RemoteError
	InProgress
	Timeout
)

var resultNames = [...]string{"ncclSuccess", "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError", "ncclInvalidArgument",
	"ncclInvalidUsage", "ncclRemoteError", "ncclInProgress", "ncclTimeout"}

// Error is the name of the result: "ncclInvalidUsage".
func (r Result) Error() string {
	if r >= 0 && int(r) < len(resultNames) {
		return resultNames[r]
	}
	return fmt.Sprintf("ncclResult_t %d", int(r))
}

// Error is a call of NCCL's that failed. It unwraps to its Result.
type Error struct {
	Call   string // the function, "ncclAllReduce"
	Result Result
	Detail string // what NCCL says of it, perhaps nothing
}

func (e *Error) Error() string {
	if e.Detail == "" {
		return fmt.Sprintf("%s: %v", e.Call, e.Result)
	}
	return fmt.Sprintf("%s: %v: %s", e.Call, e.Result, e.Detail)
}

// Unwrap is the result.
func (e *Error) Unwrap() error { return e.Result }
