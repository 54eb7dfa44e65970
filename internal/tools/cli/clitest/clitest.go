// Package clitest has commands for the scripts that test gridstride's and similar's.
package clitest

import (
	"bytes"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// Await is a command of scripts: "await file" goes on once what runs in the background has written
// a line to the file.
func Await(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: await file")
	}
	name := ts.MkAbs(args[0])
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if text, err := os.ReadFile(name); err == nil && bytes.ContainsRune(text, '\n') {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s has no line after two minutes", args[0])
		}
	}
}
