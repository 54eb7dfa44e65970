package gridstride

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Kernel is a kernel on a device. It can be launched until its module or its device is closed. A
// generated launcher's kernel is compiled for the device, alone, when it is first launched, or when
// it is first asked for what depends on the compiled code, such as its registers or its occupancy.
// That takes a GPU's driver up to some tenths of a second, and the driver may wait for running work
// first: where kernels wait for each other, the program calls MaxThreads of each before.
type Kernel struct {
	mod  *Module
	head *ptx.Func
	made atomic.Pointer[madeKernel] // nil before it is compiled

	required Dim3 // .reqntid: the only block size, zero if any size may be used
	most     Dim3 // .maxntid: the largest block, zero where only the device limits it
	cluster  Dim3 // .reqnctapercluster: the only cluster, zero if any may be used

	declared int // bytes of dynamic shared memory that gpu.Shared declares, too much to be static

	params     []Param
	size       int    // of the parameter block
	faultAt    int    // offset of the hidden fault parameter, -1 if there is none
	name       string // "dot.Partial"
	launchName string // "launch dot.Partial"
}

// madeKernel is a kernel that is ready to be launched.
type madeKernel struct {
	kernel device.Kernel
	attr   device.Attributes
}

// Param is a parameter of a kernel as a caller sees it. A slice of a Go kernel, in PTX a pointer
// and a length, is one.
type Param struct {
	// Name is the parameter's name in Go if a generated launcher knows it, else its name in the
	// PTX: "a.data" for a part of a struct that holds slices.
	Name string
	// Type is "[]" for a slice of a Go kernel, which takes a Buffer; a PTX type ("f32", "u64") for
	// a scalar, where u64 may be a pointer and takes a Buffer too; "b8[12]" for a struct or array
	// value; "tensormap" for a tensor map, which takes a TensorMap.
	Type string
	// Size is the size of a value in bytes, as in the PTX parameters.
	Size int
	// Align is the alignment in bytes that the elements of a pointer need, 1 where nothing is
	// known.
	Align int

	kind   paramKind
	offset int // in the parameter block
	arg    int // the number of the argument that it is, or is a part of, from 1
}

// paramKind is the kind of argument that a parameter takes.
type paramKind uint8

const (
	scalarParam paramKind = iota
	wordParam             // an integer of 64 bits or a pointer
	sliceParam            // pointer and length
	bytesParam            // struct or array
	tensorParam           // tensor map
)

// newKernel reads the kernel's signature off its PTX.
func newKernel(m *Module, f *ptx.Func, name string) *Kernel {
	k := &Kernel{mod: m, head: f, name: name, launchName: "launch " + name, faultAt: -1}
	for _, d := range f.Perf {
		switch d.Name {
		case "reqntid":
			k.required = dim3(d.Args)
		case "maxntid":
			k.most = dim3(d.Args)
		case "reqnctapercluster":
			k.cluster = dim3(d.Args)
		}
	}
	var block abi.ParamBlock
	for i := 0; i < len(f.Params); i++ {
		v := f.Params[i]
		offset := block.Add(int(v.Size()), v.Alignment())
		if v.Name == abi.FaultParam {
			k.faultAt = offset
			continue
		}
		p := Param{Name: v.Name, Size: int(v.Size()), Align: 1, offset: offset}
		if v.Ptr != nil && v.Ptr.Align > 0 {
			p.Align = v.Ptr.Align
		}
		p.Type, p.kind = paramType(v)
		if i+1 < len(f.Params) && isSlice(v, f.Params[i+1]) {
			p.Type, p.Size, p.kind = "[]", 16, sliceParam
			block.Add(8, 8)
			i++
		}
		k.params = append(k.params, p)
		k.params[len(k.params)-1].arg = len(k.params)
	}
	k.size = block.Size
	k.declared = m.heads.DeclaredShared(f.Name)
	return k
}

// ready returns the kernel ready to be launched, and compiles it if that has not been done.
func (k *Kernel) ready() (*madeKernel, error) {
	if made := k.made.Load(); made != nil {
		return made, nil
	}
	if err := k.mod.load(); err != nil {
		return nil, err
	}
	id, attr, err := k.mod.loaded.Kernel(k.head.Name)
	if err != nil {
		return nil, err
	}
	attr.SharedBytes += k.declared
	f := k.mod.tree.Kernel(k.head.Name)
	made := &madeKernel{
		attr: attr,
		kernel: device.Kernel{ID: id, Name: k.name, FaultAt: k.faultAt, Module: k.mod.name, Files: k.mod.files,
			Cooperative: f.Calls(abi.SyncGrid), Formats: k.mod.formats, Prints: f.Prints()},
	}
	k.made.CompareAndSwap(nil, made)
	return k.made.Load(), nil
}

// attributes are facts of the compiled kernel, zero if it cannot be compiled: its launch says why.
func (k *Kernel) attributes() device.Attributes {
	made, err := k.ready()
	if err != nil {
		return device.Attributes{}
	}
	return made.attr
}

// rename gives the parameters the names that they have in Go: "n", and "a.data" for a part of the
// argument a.
func (k *Kernel) rename(names []string) {
	last, arg := "", 0
	for i, name := range names {
		root := name
		if at := strings.IndexAny(name, ".["); at >= 0 {
			root = name[:at]
		}
		if root != last {
			last, arg = root, arg+1
		}
		k.params[i].Name, k.params[i].arg = name, arg
	}
}

// isSlice reports that two PTX parameters are one Go slice: a, a pointer, and a_len.
func isSlice(ptr, length *ptx.Var) bool {
	return ptr.Ptr != nil && length.Name == abi.LengthParam(ptr.Name) && length.Type.Bytes() == 8 && length.Dims == nil
}

// paramType describes one PTX parameter.
func paramType(v *ptx.Var) (name string, kind paramKind) {
	if isTensorMap(v.Size(), v.Alignment()) {
		return "tensormap", tensorParam
	}
	if len(v.Dims) > 0 {
		return fmt.Sprintf("%s[%d]", v.Type, v.Size()/int64(v.Type.Bytes())), bytesParam
	}
	switch v.Type {
	case ptx.U64, ptx.S64, ptx.B64:
		return string(v.Type), wordParam
	}
	return string(v.Type), scalarParam
}

// Name is the kernel's name as messages have it: "dot.Partial[float32]" for a generated launcher's,
// else the PTX name.
func (k *Kernel) Name() string { return k.name }

// Target is the PTX target that the kernel was compiled for, "sm_70": of those that a generated
// launcher has, the newest that the device runs.
func (k *Kernel) Target() string { return k.mod.heads.MainTarget().String() }

// Device is the device the kernel is loaded on.
func (k *Kernel) Device() *Device { return k.mod.dev }

// Params describes what Launch takes.
func (k *Kernel) Params() []Param { return append([]Param(nil), k.params...) }

// BlockDim is the block size that the kernel is compiled for (//gpu:kernel block=256), or zero if
// it is compiled for any.
func (k *Kernel) BlockDim() Dim3 { return k.required }

// ClusterDim is the cluster that the kernel is compiled for (//gpu:kernel cluster=4), or zero if it
// is compiled for any.
func (k *Kernel) ClusterDim() Dim3 { return k.cluster }

// MaxThreads is the largest number of threads a block of the kernel may have. It is 0 if the kernel
// cannot be compiled: Launch then returns the error.
func (k *Kernel) MaxThreads() int { return k.attributes().MaxThreads }

// StaticSharedBytes is the static shared memory of a block, what gpu.Shared declares, in bytes. It
// is 0 if the kernel cannot be compiled, as MaxThreads is.
func (k *Kernel) StaticSharedBytes() int { return k.attributes().SharedBytes }
