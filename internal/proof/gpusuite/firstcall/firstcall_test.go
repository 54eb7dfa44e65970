package main

import (
	"os"
	"strings"
	"testing"
)

// TestFirstCalls holds what the driver has to compile for a first call: the
// kernels that it launches, each alone, of packages with up to a megabyte of PTX.
func TestFirstCalls(t *testing.T) {
	for _, tt := range []struct {
		call    string
		modules int
		bytes   int64
	}{
		{"dot", 1, 25_000},
		{"cosine", 1, 73_000},
		{"gemm", 1, 62_000},
		{"sum-reproducible", 1, 106_000},
		{"gemm-bf16", 2, 76_000},
		{"gemm-bf16x6", 3, 190_000},
		{"gemm-float64", 1, 66_000},
		{"search", 2, 76_000},
	} {
		use := "sim"
		if strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") {
			use = "cuda"
		}
		got, err := timeCall(t.Context(), tt.call, use, 5000, 65)
		if err != nil {
			t.Errorf("%s: %v", tt.call, err)
			continue
		}
		if use == "cuda" && (got.Modules == 0 || got.Modules > tt.modules || got.Bytes > tt.bytes) {
			t.Errorf("%s: %d modules of %d bytes of PTX; want at most %d of %d", tt.call, got.Modules, got.Bytes, tt.modules, tt.bytes)
		}
	}
}
