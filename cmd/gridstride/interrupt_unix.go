//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// apart keeps the interrupts of the terminal from a command that is not yet started, and from all
// that it will start.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt interrupts a command that was started apart, and all that it has started.
func interrupt(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
