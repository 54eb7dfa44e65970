// Package packed unpacks PTX for generated code. The launchers of a package whose PTX is stored
// compressed import it. Programs do not need it.
package packed

import "github.com/gridstride/gridstride/internal/tools/ptxpack"

// Unpack returns the PTX text that gridstride build has compressed.
func Unpack(data string) (text string, err error) { return ptxpack.Unpack(data) }
