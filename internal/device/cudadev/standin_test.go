package cudadev

// onStandIn says that the tests' GPU is a stand-in.
var onStandIn bool
