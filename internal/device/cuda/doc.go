// Package cuda binds the CUDA driver API (libcuda) without cgo, through purego: raw calls with
// typed errors, and no policy. What a device, a buffer or a stream means to a user is decided in
// the root package.
//
// The binding is our own rather than a library because of two calls. A launch must cost what it
// costs in CUDA C++, so it makes exactly one foreign call and allocates nothing; and a wait must
// neither hold a lane that other goroutines need nor be deaf to its context. Both follow from how
// contexts are handled here:
//
//   - The driver keeps a current context per OS thread, and goroutines move between threads. Every
//     call therefore sets the context first, under runtime.LockOSThread (Context.call).
//   - A launch assumes that its thread already has the right context, which after a few launches it
//     has, and sets it only when the driver answers that it has none or another (Context.Launch).
//   - A wait with a cancellable context polls. A wait without one blocks in the driver, on its own
//     thread like every foreign call.
//
// Symbols are looked up when first called. One that the installed driver lacks is an error that
// names it and the CUDA version that has it, so that a program needs no newer driver than the calls
// it makes.
package cuda
