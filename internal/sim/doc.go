// Package sim executes PTX: a SIMT machine that plays an NVIDIA GPU on any CPU.
package sim
