package abi

// Ordering is a constant of gpu.Ordering: the memory order of an atomic, or its scope.
type Ordering uint8

// The orderings, with the numbers that package gpu gives them.
const (
	Relaxed Ordering = iota + 1
	Acquire
	Release
	AcqRel
	BlockScope
	DeviceScope
	SystemScope
)

// Orderings are the names of the orderings in package gpu.
var Orderings = [...]string{
	Relaxed: "Relaxed", Acquire: "Acquire", Release: "Release", AcqRel: "AcqRel",
	BlockScope: "BlockScope", DeviceScope: "DeviceScope", SystemScope: "SystemScope",
}

// String is the name of the constant.
func (o Ordering) String() string { return Orderings[o] }
