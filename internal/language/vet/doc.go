// Package vet finds mistakes in kernels without running them: analyzers of
// golang.org/x/tools/go/analysis, which gridstride vet and "go vet -vettool" run. Package
// internal/machine/check finds mistakes that depend on values (which index, which order). vet
// reports mistakes that the code alone shows, and is silent if it does not decide.
//
//   - barrier: a block barrier that not all threads of a block reach
//   - warpsync: a shuffle, vote or warp barrier for all lanes that not all lanes of a warp reach
//   - shared: shared memory that nobody reads or writes, and more of it than a block can have
//   - overlap: a launch that gives a kernel the same memory to write and to read
//   - instance: a call of a generic function whose kernels no //gpu:instance asks for
//   - allow: a comment that takes back a finding there is not
//   - stale: generated PTX of other sources than these
//
// # Thread dependence
//
// barrier and warpsync ask whether a branch is the same for all threads that come to it. They use
// the divergence analysis of B. Coutinho, D. Sampaio, F. Pereira and W. Meira, "Divergence Analysis
// and Optimizations", PACT 2011, on go/ssa: a value differs between threads if it is made of such
// values, or merges after a branch on such a value, or leaves a loop whose number of rounds
// differs. [Dependence] adds the GPU's levels: values that differ between lanes, and values that
// differ between warps only. Functions are summarized in terms of their parameters, and the
// summaries are facts, so that calls into other packages are understood without their source.
//
// Memory is not followed: a load at an address that is the same for all threads gives all the same
// value. That is so after a barrier. Otherwise it is a race, which racecheck finds.
//
// # Files
//
// device.go and stride.go make the SSA that the analyzers look at, kernel.go reads directives,
// gpufunc.go knows package gpu. dependence.go, parts.go, flow.go, uniform.go, variables.go,
// warp.go and block.go are the divergence analysis, summary.go and effect.go put it into facts.
// barrier.go (with warpsync), shared.go, overlap.go, instance.go (with instance_scope.go), allow.go and
// stale.go are the analyzers,
// access.go and poly.go say which elements a kernel reads and writes, and branch.go puts branches
// into words.
package vet
