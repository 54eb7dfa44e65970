//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// interruptible makes the end of a command's context an interrupt of it and of all that it has
// started.
func interruptible(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}
