package main

import (
	"os/exec"
	"syscall"
)

// apart keeps the interrupts of the terminal from a command that is not yet started, and from all
// that it will start.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// interrupt ends a command: Windows has no interrupt that others can send.
func interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }
