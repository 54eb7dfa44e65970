package vet

import "golang.org/x/tools/go/analysis"

// finders are the analyzers whose findings a comment can take back.
var finders = []*analysis.Analyzer{BarrierAnalyzer, WarpSyncAnalyzer, SharedAnalyzer, OverlapAnalyzer, InstanceAnalyzer}

// Analyzers are all of them, in the order of the package's documentation.
var Analyzers = append(finders[:len(finders):len(finders)], AllowAnalyzer, StaleAnalyzer)
