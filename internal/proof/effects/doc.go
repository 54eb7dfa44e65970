// Package effects holds the effect table of package ptx to the machine: its tests run an instruction
// of each row and compare what the simulator and the checks see with the effects of the row.
//
//	go test ./internal/proof/effects -run TestMutants -mutants out.json
//
// deletes one effect after the other from the table and records which deletions no test finds.
package effects
