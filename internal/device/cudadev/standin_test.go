package cudadev

// onStandIn says that the tests' GPU is simulated.
var onStandIn bool
