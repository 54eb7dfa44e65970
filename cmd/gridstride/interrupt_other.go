//go:build !unix && !windows

package main

import "os/exec"

// apart leaves the command as it is: it gets the interrupts of the terminal too.
func apart(*exec.Cmd) {}

// interrupt ends a command.
func interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }
