package gpu

// Clock counts the cycles of the multiprocessor that the thread runs on. The difference of two
// calls is the time between them for the thread, others' turns included. The compiler does not move
// the calls across accesses of memory. On the simulator it counts instructions. CUDA's clock64.
func Clock() int64 {
	return threadCall[int64]("Clock")
}

// GlobalTimer is a clock in nanoseconds that all multiprocessors share. On some GPUs it advances in
// steps of a microsecond. PTX's %globaltimer.
func GlobalTimer() int64 {
	return threadCall[int64]("GlobalTimer")
}

// Nanosleep lets the thread rest for 0 to 2*ns nanoseconds. An ns above a million is a million.
// So a loop that waits for another thread leaves it more of the machine. CUDA's __nanosleep.
func Nanosleep(ns int) {
	threadCall[any]("Nanosleep", ns)
}
