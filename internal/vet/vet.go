package vet

import "golang.org/x/tools/go/analysis"

// Analyzers are all of them, in the order of the package's documentation.
var Analyzers = []*analysis.Analyzer{BarrierAnalyzer, WarpSyncAnalyzer, SharedAnalyzer, OverlapAnalyzer}
