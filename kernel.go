package gridstride

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Kernel is a kernel loaded on a device. It can be launched until its module or its device is
// closed.
type Kernel struct {
	mod    *Module
	loaded device.Kernel
	attr   device.Attributes

	required Dim3 // .reqntid: the only block size, zero if any size may be used
	most     Dim3 // .maxntid: the largest block, zero where only the device limits it
	cluster  Dim3 // .reqnctapercluster: the only cluster, zero if any may be used

	declared int // bytes of dynamic shared memory that gpu.Shared declares, too much to be static

	params     []Param
	size       int    // of the parameter block
	launchName string // "launch dot.Partial"
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
func newKernel(m *Module, id device.KernelID, attr device.Attributes, f *ptx.Func, name string) *Kernel {
	k := &Kernel{
		mod: m, attr: attr, launchName: "launch " + name,
		loaded: device.Kernel{ID: id, Name: name, FaultAt: -1, Module: m.name, Files: m.files, Cooperative: f.Calls(abi.SyncGrid),
			Formats: m.formats, Prints: f.Prints()},
	}
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
			k.loaded.FaultAt = offset
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
	k.declared = m.tree.DeclaredShared(f.Name)
	k.attr.SharedBytes += k.declared
	return k
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
func (k *Kernel) Name() string { return k.loaded.Name }

// Target is the PTX target that the kernel was compiled for, "sm_70": of those that a generated
// launcher has, the newest that the device runs.
func (k *Kernel) Target() string { return k.mod.tree.MainTarget().String() }

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

// MaxThreads is the largest number of threads a block of the kernel may have.
func (k *Kernel) MaxThreads() int { return k.attr.MaxThreads }

// StaticSharedBytes is the static shared memory of a block, what gpu.Shared declares, in bytes.
func (k *Kernel) StaticSharedBytes() int { return k.attr.SharedBytes }
