package abi

// Version counts the agreements between generated PTX and the host: the layouts of this package, and
// the names and order of a kernel's parameters. A change of one of them adds 1, so that PTX of
// before counts as stale.
const Version = "1"
