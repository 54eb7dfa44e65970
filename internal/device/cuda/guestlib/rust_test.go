package guestlib

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRust runs a program in Rust, whose crate cudarc wants every function of the driver's API to be
// there, with kernels in Zig and in Rust: their results are right, and a race in Zig is found at its line.
func TestRust(t *testing.T) {
	built(t)
	client := rustClient(t)
	check := checker(t)
	right := func(kernels string) {
		for _, kernel := range []string{"saxpy", "reverse"} {
			out, status := check(client, kernels, kernel)
			if status != 0 || !strings.Contains(out, "1 launch checked: 0 findings") {
				t.Errorf("%s of %s: status %d\n%s", kernel, filepath.Base(kernels), status, out)
			}
		}
	}
	if kernels := rustKernels(t); kernels != "" {
		right(kernels)
	}
	zig := withPackages(t, "ziglang==0.17.1")
	for _, mode := range []string{"ReleaseFast", "Debug"} {
		kernels := zigKernels(t, zig, mode)
		right(kernels)
		out, status := check(client, kernels, "reverse_racing")
		for _, want := range []string{
			"RACE  write/read, shared memory", "kernels.zig:29:16", "kernels.zig:30:24",
			`fix    asm volatile ("bar.sync 0;" ::: .{ .memory = true }) between kernels.zig:29 and kernels.zig:30`,
		} {
			if status != 1 || !strings.Contains(out, want) {
				t.Errorf("%s: status %d, without %q:\n%s", mode, status, want, out)
			}
		}
	}
}

// rustClient builds the program in Rust, with crates that cargo fetches.
func rustClient(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("SKIPPED: cargo is not installed")
	}
	dir := t.TempDir()
	cargo := exec.CommandContext(t.Context(), "cargo", "build", "--quiet", "--locked", "--manifest-path", "testdata/rust/Cargo.toml", "--target-dir", dir)
	if out, err := cargo.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: the program in Rust cannot be built: %v\n%s", err, out)
	}
	return filepath.Join(dir, "debug", "client")
}

// rustKernels compiles the kernels in Rust, "" where rustc has no library for GPUs.
func rustKernels(t *testing.T) string {
	t.Helper()
	const target = "nvptx64-nvidia-cuda"
	libdir, err := exec.CommandContext(t.Context(), "rustc", "--print", "target-libdir", "--target", target).Output()
	if _, missing := os.Stat(strings.TrimSpace(string(libdir))); err != nil || missing != nil {
		t.Logf("!!! KERNELS IN RUST WERE NOT TESTED: rustup target add %s", target)
		return ""
	}
	ptx := filepath.Join(t.TempDir(), "rust.ptx")
	rustc := exec.CommandContext(t.Context(), "rustc", "--target", target, "--edition", "2021", "--crate-type", "lib", "-O",
		"-C", "target-cpu=sm_80", "--emit", "asm", "-o", ptx, "testdata/rust/kernels.rs")
	rustc.Env = append(os.Environ(), "RUSTC_BOOTSTRAP=1") // its functions for GPUs are not stable
	if out, err := rustc.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return ptx
}

// zigKernels compiles the kernels in Zig, with the compiler of a Python that has it.
func zigKernels(t *testing.T, python, mode string) string {
	t.Helper()
	ptx := filepath.Join(t.TempDir(), "zig.ptx")
	zig := exec.CommandContext(t.Context(), python, "-m", "ziglang", "build-obj", "-target", "nvptx64-cuda", "-mcpu", "sm_80", "-O", mode,
		"-fno-strip", "-fno-emit-bin", "-femit-asm="+ptx, "testdata/kernels.zig")
	if out, err := zig.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return ptx
}
