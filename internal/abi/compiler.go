package abi

// Compiler tells apart versions of the compiler that make other PTX of the same kernels: a hash of
// golden PTX, of all constructs of the language and of gpu/collective. A test of
// internal/language/compile/emit holds it to them, and writes this file with -update. It stands here for
// those who must not import the compiler.
const Compiler = "592ac89a7d75588b"
