package ir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// MachineForm is a form of Machine: one instruction of PTX. Passes need to know no more of it than
// that it communicates, reads and writes.
type MachineForm struct {
	Name    string // of the refinement
	Results int    // registers. Extract reads them if they are several
	Sig     string // its type rule, as in opTable

	// PTX is the instruction. Its operands are, separated by commas,
	//
	//	r            the result
	//	{r}          the results, as a vector
	//	0            an argument
	//	{1...}       the arguments from one on, as a vector
	//	0.u16        the lower half of an argument
	//	[0]          the generic address that an argument is, as an I64
	//	_            a result that is thrown away
	//	[shared 0]   the address that an argument is, in a state space
	//	[cluster 0]  the same in the shared memory of the blocks of the cluster
	//	[map 0 1...] the address of a tensor map, and the coordinates, which are the arguments from one on
	//	#16          a constant
	PTX string
}

// FirstMachine is the refinement of the first of MachineForms. The others follow it.
const FirstMachine Sub = 512

// MachineForms are the forms of Machine. A new instruction of that kind is a new row.
var MachineForms = slices.Concat([]MachineForm{
	// 8 by 8 matrices of 16-bit elements in shared memory. Each lane has the address of a row of 16
	// bytes, and a pair of elements of each matrix.
	{"LdMatrix1", 1, "i:p", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r}, [shared 0]"},
	{"LdMatrix2", 2, "i:p", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {r}, [shared 0]"},
	{"LdMatrix4", 4, "i:p", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r}, [shared 0]"},
	{"LdMatrixTrans1", 1, "i:p", "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {r}, [shared 0]"},
	{"LdMatrixTrans2", 2, "i:p", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {r}, [shared 0]"},
	{"LdMatrixTrans4", 4, "i:p", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r}, [shared 0]"},
	{"StMatrix1", 0, "-:pi", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [shared 0], {1...}"},
	{"StMatrix2", 0, "-:pii", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [shared 0], {1...}"},
	{"StMatrix4", 0, "-:piiii", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [shared 0], {1...}"},
	{"StMatrixTrans1", 0, "-:pi", "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [shared 0], {1...}"},
	{"StMatrixTrans2", 0, "-:pii", "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [shared 0], {1...}"},
	{"StMatrixTrans4", 0, "-:piiii", "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [shared 0], {1...}"},

	// Copies from global to shared memory. Of one that fills with zeros the last argument is how
	// many bytes are read.
	{"CpAsync4", 0, "-:pp", "cp.async.ca.shared.global [shared 0], [global 1], #4"},
	{"CpAsync8", 0, "-:pp", "cp.async.ca.shared.global [shared 0], [global 1], #8"},
	{"CpAsync16", 0, "-:pp", "cp.async.ca.shared.global [shared 0], [global 1], #16"},
	{"CpAsyncGlobal16", 0, "-:pp", "cp.async.cg.shared.global [shared 0], [global 1], #16"},
	{"CpAsyncZeroFill4", 0, "-:ppi", "cp.async.ca.shared.global [shared 0], [global 1], #4, 2"},
	{"CpAsyncZeroFill8", 0, "-:ppi", "cp.async.ca.shared.global [shared 0], [global 1], #8, 2"},
	{"CpAsyncZeroFill16", 0, "-:ppi", "cp.async.ca.shared.global [shared 0], [global 1], #16, 2"},
	{"CpAsyncZeroFillGlobal16", 0, "-:ppi", "cp.async.cg.shared.global [shared 0], [global 1], #16, 2"},
	{"CpAsyncCommit", 0, "-:", "cp.async.commit_group"},
	{"CpAsyncWait", 0, "-:i", "cp.async.wait_group 0"},
	{"WGMMAFence", 0, "-:", "wgmma.fence.sync.aligned"},
	{"WGMMACommit", 0, "-:", "wgmma.commit_group.sync.aligned"},
	{"WGMMAWait", 0, "-:i", "wgmma.wait_group.sync.aligned 0"},
	{"FenceProxyAsync", 0, "-:", "fence.proxy.async.shared::cta"},
	{"CpAsyncWaitAll", 0, "-:", "cp.async.wait_all"},

	// The barrier of the cluster.
	{"ClusterArrive", 0, "-:", "barrier.cluster.arrive"},
	{"ClusterWait", 0, "-:", "barrier.cluster.wait"},

	// Mbarriers, by address. A count is of arrivals or of bytes, and a token is an I64.
	{"MBarrierInit", 0, "-:pi", "mbarrier.init.shared.b64 [shared 0], 1"},
	{"MBarrierInval", 0, "-:p", "mbarrier.inval.shared.b64 [shared 0]"},
	{"MBarrierArrive", 1, "l:p", "mbarrier.arrive.shared.b64 r, [shared 0]"},
	{"MBarrierArriveDrop", 1, "l:p", "mbarrier.arrive_drop.shared.b64 r, [shared 0]"},
	{"MBarrierArriveCluster", 0, "-:p", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [cluster 0]"},
	{"MBarrierArriveClusterNoFence", 0, "-:p", "mbarrier.arrive.shared::cluster.b64 _, [cluster 0]"},
	{"MBarrierArriveExpectTx", 1, "l:pi", "mbarrier.arrive.expect_tx.shared.b64 r, [shared 0], 1"},
	{"MBarrierExpectTx", 0, "-:pi", "mbarrier.expect_tx.shared.b64 [shared 0], 1"},
	{"MBarrierCompleteTx", 0, "-:pi", "mbarrier.complete_tx.shared.b64 [shared 0], 1"},
	{"MBarrierTestWait", 1, "b:pl", "mbarrier.test_wait.shared.b64 r, [shared 0], 1"},
	{"MBarrierTestWaitParity", 1, "b:pi", "mbarrier.test_wait.parity.shared.b64 r, [shared 0], 1"},
	{"MBarrierTryWait", 1, "b:pl", "mbarrier.try_wait.shared.b64 r, [shared 0], 1"},
	{"MBarrierTryWaitParity", 1, "b:pi", "mbarrier.try_wait.parity.shared.b64 r, [shared 0], 1"},
	{"MBarrierTryWaitParityCluster", 1, "b:pi", "mbarrier.try_wait.parity.acquire.cluster.shared.b64 r, [shared 0], 1"},
	{"CpAsyncMBarrierArrive", 0, "-:p", "cp.async.mbarrier.arrive.shared.b64 [shared 0]"},
	{"CpAsyncMBarrierArriveNoInc", 0, "-:p", "cp.async.mbarrier.arrive.noinc.shared.b64 [shared 0]"},
	{"FenceMBarrierInit", 0, "-:", "fence.mbarrier_init.release.cluster"},

	// Copies in bulk.
	{"CpAsyncBulk", 0, "-:pppi", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [shared 0], [global 1], 3, [shared 2]"},
	{"CpAsyncBulkMulticast", 0, "-:pppii",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [shared 0], [global 1], 3, [shared 2], 4.u16"},
	{"CpAsyncBulkCluster", 0, "-:pppi",
		"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [cluster 0], [shared 1], 3, [cluster 2]"},
	{"CpAsyncBulkStore", 0, "-:ppi", "cp.async.bulk.global.shared::cta.bulk_group [global 0], [shared 1], 2"},
	{"CpAsyncBulkPrefetch", 0, "-:pi", "cp.async.bulk.prefetch.L2.global [global 0], 1"},
	{"CpAsyncBulkCommitGroup", 0, "-:", "cp.async.bulk.commit_group"},
	{"CpAsyncBulkWaitGroup", 0, "-:i", "cp.async.bulk.wait_group 0"},
	{"CpAsyncBulkWaitGroupRead", 0, "-:i", "cp.async.bulk.wait_group.read 0"},
	{"PrefetchTensorMap", 0, "-:l", "prefetch.tensormap [0]"},
}, tensorForms())

// tensorForms are copies of boxes of 1 to 5 dimensions: a tensor map is an I64, its address.
func tensorForms() (list []MachineForm) {
	for n := 1; n <= abi.MaxTensorDims; n++ {
		dim, at := fmt.Sprintf("%dd", n), strings.Repeat("i", n)
		load := "cp.async.bulk.tensor." + dim + ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"
		list = append(list,
			MachineForm{fmt.Sprint("CpAsyncBulkTensor", n), 0, "-:plp" + at, load + " [shared 0], [map 1 3...], [shared 2]"},
			MachineForm{fmt.Sprint("CpAsyncBulkTensorMulticast", n), 0, "-:plpi" + at,
				load + ".multicast::cluster [shared 0], [map 1 4...], [shared 2], 3.u16"},
			MachineForm{fmt.Sprint("CpAsyncBulkTensorStore", n), 0, "-:pl" + at,
				"cp.async.bulk.tensor." + dim + ".global.shared::cta.tile.bulk_group [map 1 2...], [shared 0]"},
			MachineForm{fmt.Sprint("CpAsyncBulkPrefetchTensor", n), 0, "-:l" + at,
				"cp.async.bulk.prefetch.tensor." + dim + ".L2.global.tile [map 0 1...]"},
		)
	}
	return list
}

// Immediate is an operand that an instruction has no register for: its first argument, which must
// be a constant after the passes.
type Immediate struct {
	Function          string // of package gpu
	Least, Most, Step int64
}

// Allows reports whether the constant may be n.
func (i *Immediate) Allows(n int64) bool { return n >= i.Least && n <= i.Most && n%i.Step == 0 }

// The registers that a thread may be given by setmaxnreg (PTX ISA, setmaxnreg).
const (
	fewestRegisters = 24
	registerStep    = 8
)

// mostProductGroups is how many groups of products wgmma.wait_group may leave in flight.
const mostProductGroups = 7

var immediates = map[string]Immediate{
	"CpAsyncWait":              {"CpAsyncWaitGroup", 0, abi.MaxGroups, 1},
	"CpAsyncBulkWaitGroup":     {"CpAsyncBulkWaitGroup", 0, abi.MaxGroups, 1},
	"CpAsyncBulkWaitGroupRead": {"CpAsyncBulkWaitGroupRead", 0, abi.MaxGroups, 1},
	"WGMMAWait":                {"WGMMAWait", 0, mostProductGroups, 1},
}

// ImmediateOf is the Immediate of an instruction, if it has one.
func ImmediateOf(v *Value) (i Immediate, ok bool) {
	switch {
	case v.Op == Machine:
		i, ok = immediates[MachineFormOf(v.Sub).Name]
	case v.Op == SetMaxNReg:
		names := map[Sub]string{RegInc: "SetMaxNRegInc", RegDec: "SetMaxNRegDec"}
		return Immediate{names[v.Sub], fewestRegisters, abi.MostRegisters, registerStep}, true
	}
	return i, ok
}

// MachineFormOf is the form of a refinement of Machine.
func MachineFormOf(s Sub) *MachineForm { return &MachineForms[s-FirstMachine] }

// MachineSub is the refinement of a form by its name.
func MachineSub(name string) Sub {
	s, ok := subByName(Machine, name)
	if !ok {
		panic("BUG: no instruction " + name)
	}
	return s
}

// Operands returns the opcode, and the operands in PTX's order.
func (f *MachineForm) Operands() (opcode string, operands []string) {
	opcode, rest, ok := strings.Cut(f.PTX, " ")
	if !ok {
		return opcode, nil
	}
	return opcode, strings.Split(rest, ", ")
}

// Together reports whether threads of a warp, a block or a cluster execute the instruction
// together.
func (f *MachineForm) Together() bool {
	opcode, _ := f.Operands()
	return strings.Contains(opcode, ".sync") || strings.HasPrefix(opcode, "barrier.")
}

// SpaceOf is the state space that the address in an argument must be in, or Unknown if the argument
// is no address.
func (f *MachineForm) SpaceOf(arg int) Space {
	_, operands := f.Operands()
	for _, o := range operands {
		if space, i, ok := AddressOperand(o); ok && i == arg {
			return space
		}
	}
	return Unknown
}

// AddressOperand takes "[shared 0]" apart.
func AddressOperand(operand string) (space Space, arg int, ok bool) {
	inner, found := strings.CutPrefix(operand, "[")
	name, number, ok := strings.Cut(strings.TrimSuffix(inner, "]"), " ")
	s, known := spaceByName[name]
	if !found || !ok || !known {
		return Unknown, 0, false
	}
	return Space(s), int(number[0] - '0'), true
}

// TensorOperand takes "[map 0 1...]" apart.
func TensorOperand(operand string) (tensor, coordinates int, ok bool) {
	n, _ := fmt.Sscanf(operand, "[map %d %d", &tensor, &coordinates)
	return tensor, coordinates, n == 2
}
