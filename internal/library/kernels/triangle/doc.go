// Package triangle is the products with symmetric and triangular matrices on a device, and the
// solution of triangular systems, and the [Plan] that queues them. Only the stored triangle of a
// matrix is read.
//
// A triangle of more than [Base] rows is cut in two triangles and a rectangular block. Kernels here
// multiply or solve the triangles, one after the other. Package level3 or level2 multiplies the
// block. The recursion follows Andersen, Gustavson, Karlsson and Wasniewski, "Recursive Blocked Data
// Formats and BLAS's for Dense Linear Algebra Algorithms" (PARA 1998).
//
// A result has the same bits each time and on every device: the order of additions depends on the
// sizes alone, and on what packages level2 and level3 say of their products.
package triangle
