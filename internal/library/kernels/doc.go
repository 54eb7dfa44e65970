// Package kernels has the kernels of the libraries on a device, in a package for each kind. The table
// names the package that serves each call. A name stands for its To form too.
//
//	gpublas
//	  Dot DotExact Sum SumSquares Asum Nrm2 Min Max ArgMin ArgMax Iamax
//	  Axpy Scal Copy Swap Rot RotBy Rotg                        level1
//	  SumReproducible DotReproducible AsumReproducible
//	  Nrm2Reproducible                                          binned
//	  Gemv Ger                                                  level2
//	  Gemm GemmStridedBatched Syrk, Product by FP32 and FP64    level3
//	  Symm Symv Trmm Trmv Trsm Trsv                             triangle, with level1, level2, level3
//	  Product by BF16, F16, TF32, BF16x6 and Int8               formats, which chooses:
//	    any size, on a GPU of 8.0                               formats
//	    from 1024 x 1024, on a GPU of 9.0: BF16 and F16         warpgroups/halves
//	                                       TF32, BF16x6, Int8   warpgroups/along
//	    small, on a GPU of 9.0: BF16 and F16                    onegroup/halves
//	                            TF32                            onegroup/tf32
//	                            BF16x6                          onegroup/parts
//	                            Int8                            onegroup/ints
//	  Product with an Epilogue                                  epilogue, or warpgroups/fused in the product
//	  Product.TopK                                              largest, after a product or warpgroups/rowmax
//	gpumetric
//	  Between Compare Rows CosineSimilarityPairs
//	  CosineDistancePairs SquaredEuclideanPairs EuclideanPairs  pairs, the last four after Gemm
//	  SquaredNorm DotPairs                                      gpublas
//	gpusimilar
//	  NewVectors, Vectors.Search                                nearest, in float64 shortlist
//	    by rough scores                                         shortlist
//	  NewSparse NewIndex, Sparse.Search and Pairs               postings
//	comm
//	  AllReduce ReduceScatter Reduce                            fold, after copies
//
// The other packages are parts of these. In warpgroups, onegroup and tile are the loops of products
// on tensor cores and without. layout chooses among kernels by the transposes of the factors. In topk
// is the choice of the best scores while they are computed, and in onepass what goes through vectors
// once. The libraries' handles are handle, their operands operand. The tests share kerneltest.
package kernels
