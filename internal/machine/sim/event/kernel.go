package event

import "github.com/gridstride/gridstride/internal/ptx"

// Kernel describes a kernel of a loaded module.
type Kernel struct {
	Name   string
	Func   *ptx.Func
	Module *ptx.Module // declares the kernel
	// Params are the parameters in order. A launch gives ParamSize bytes, each parameter at its
	// Offset, little endian.
	Params    []Param
	ParamSize int
	// StaticShared is the size of the shared memory that the kernel and the functions it calls
	// declare. DynamicShared says whether they declare extern shared memory.
	StaticShared  int
	DynamicShared bool
	// Shared are the variables in shared memory, in the order of their addresses.
	Shared []Variable
	// ReqNTID is the block size that .reqntid fixes, zero when free.
	ReqNTID [3]int
	// MaxNTID is the block size of .maxntid, zero when free. Its product bounds the threads of a
	// block.
	MaxNTID [3]int
	// ReqCluster is the cluster that .reqnctapercluster fixes, zero when free.
	ReqCluster [3]int
	// Cooperative says that the kernel calls abi.SyncGrid, so that all its blocks run at once.
	Cooperative bool
	// LocalBytes is the local memory of a thread that the kernel itself needs, without the
	// functions it calls.
	LocalBytes int
}

// Param is one kernel parameter.
type Param struct {
	Name   string
	Type   ptx.Type // element type when Size is more than one element
	Size   int      // bytes
	Align  int
	Offset int // among the parameters of a launch
	Ptr    *ptx.PtrAttr
}

// Variable is a variable in a block's shared memory.
type Variable struct {
	Name    string
	Var     *ptx.Var
	Offset  int  // from the start of the block's shared memory
	Size    int  // 0 when Dynamic: it reaches to the end
	Dynamic bool // .extern
}
