package gpu

// Clock counts the cycles of the multiprocessor that the thread runs on. The difference of two
// calls is the time between them for the thread, others' turns included. The calls stay where they
// are among the accesses of memory. On the simulator it counts instructions. CUDA's clock64.
func Clock() int64 {
	panic(hostCall("Clock"))
}

// GlobalTimer is a clock in nanoseconds that all multiprocessors share. It may advance in steps of
// a microsecond, as the GPU has it. PTX's %globaltimer.
func GlobalTimer() int64 {
	panic(hostCall("GlobalTimer"))
}

// Nanosleep lets the thread rest for 0 to 2*ns nanoseconds. An ns above a million is a million.
// So a loop that waits for another thread leaves it more of the machine. CUDA's __nanosleep.
func Nanosleep(ns int) {
	onHost("Nanosleep")
}
