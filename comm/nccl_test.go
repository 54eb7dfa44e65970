package comm_test

// ncclStandIn is what tests ask of the stand-in for NCCL, where there is one.
type ncclStandIn interface {
	Fail(name string, result int)
	Calls() []string
	Comms() int
}

var standIn ncclStandIn
