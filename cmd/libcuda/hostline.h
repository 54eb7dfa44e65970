#include <stddef.h>

// hostline writes where the program is that has called the library, on the calling thread: "file:line"
// of Python, and otherwise "function in program+0x12" of the address caller, which may be NULL. The
// line is the return value, and 0 for the latter. buf is of n bytes, and empty where nothing is known.
int hostline(char *buf, size_t n, const void *caller);
