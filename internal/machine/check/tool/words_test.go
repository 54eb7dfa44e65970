package tool

import "testing"

// TestWords has the advice for a missing barrier and for a lost update in the language of each file.
func TestWords(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][2]string{
		"":        {"bar.sync", "atom.add"},
		"a.go":    {"gpu.SyncThreads()", "gpu.AtomicAdd"},
		"a.cu":    {"__syncthreads()", "atomicAdd"},
		"a.py":    {"cuda.syncthreads() (in Triton tl.debug_barrier())", "cuda.atomic.add (in Triton tl.atomic_add)"},
		"a.rs":    {"_syncthreads()", "an atomic's fetch_add"},
		"a.zig":   {`asm volatile ("bar.sync 0;" ::: .{ .memory = true })`, "@atomicRmw with .Add"},
		"a.other": {"bar.sync", "atom.add"},
	} {
		if got := [2]string{WordsOf(file).Barrier, AtomicOf(file, "mad")}; got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
	if got := AtomicOf("a.go", "div"); got != "" {
		t.Errorf("there is no atomic for a division, but %q", got)
	}
}
