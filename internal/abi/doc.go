// Package abi holds the facts that compiler, host, simulator, checks and vet must agree on.
//
// Each fact is here once: the fault record, the layout of parameters in the parameter block, the
// names of generated symbols and files, the limits of a launch by target. The package imports
// nothing of the module, and builds wherever Go builds.
package abi
