package ptx

// effectTable describes the effects of instructions. A row is
//
//	ops modifiers : kind and effects : operands
//
// It holds for the instructions of the ops, separated by '|', that have all of the modifiers. A
// modifier "a|b" means one of the two. If two rows hold for an instruction, the one with more
// modifiers applies. Each form of the instruction table has one row (TestEffectsOfForms).
//
// The kind is one of kindWords. "meets=", "waits=" and "agent=" take the words of meetingWords,
// waitWords and agentWords. "orders" means that the threads that meet also see each other's memory,
// and "whole" that a warp comes to the meeting as a whole.
//
// Operands are in the order of PTX. An operand is a word of roleWords, or an address: "read",
// "write" or "update" (an atomic read and write), followed by the number of bytes of a thread. The
// number is a constant, "T" for the type and vector of the opcode, "bytes" for the operand of that
// name, "box" for the box of a tensor map, "fragment" for the lane's fragment of a matrix, or "texel"
// for a texture or surface, whose operand has coordinates.
// "address" is an address that is not accessed. '?' makes an operand optional, "..." lets it
// repeat, and "/mod|mod" makes it depend on a modifier.
const effectTable = `
# Registers to registers
add|addc|sub|subc|mul|mad|madc|mul24|mad24|sad|div|rem|abs|neg|min|max|fma : computes : result, data...
popc|clz|bfind|fns|brev|bfe|bfi|szext|bmsk|dp4a|dp2a|testp|copysign : computes : result, data...
rcp|sqrt|rsqrt|sin|cos|lg2|ex2|tanh|cvt|slct|xor|not|cnot|shf|shl|shr|prmt : computes : result, data...
vadd|vsub|vabsdiff|vmin|vmax|vshl|vshr|vmad|vset : computes : result, data...
vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2|vset2 : computes : result, data...
vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4|vset4 : computes : result, data...
set|setp : computes : result, data, data
set|setp and|or|xor : computes : result, data, data, condition
lop3 : computes : result, data, data, data, constant
lop3 and|or : computes : result, data, data, data, constant, predicate
isspacep|mapa|getctarank : computes : result, data...
createpolicy : computes : result, data?
activemask : computes : result
alloca|stacksave : computes : result, data?, constant?
stackrestore : computes : data
mov|cvta : moves : result, data
and|or : moves : result, data, data
and|or pred : moves : result, condition, condition
selp : moves : result, data, data, chooser

# Memory
ld|ldu : loads : result, read T, policy/L2::cache_hint
st : stores : write T, data, policy/L2::cache_hint
atom : updates : result, update T, data, policy/L2::cache_hint
atom cas : updates : result, update T, compared, data
red : updates : update T, data, policy/L2::cache_hint
tex|tld4 : fetches : result, read texel, data?, data?
suld : fetches : result, read texel
sust : stores : write texel, data
txq|suq : computes : result, address
prefetch|prefetchu : nothing : address
discard|applypriority : nothing : address, constant
tensormap replace : stores : write 128, constant?, field

# Fences
membar|fence : fences :
fence tensormap::generic acquire : fences : address, constant

# Threads that meet
bar sync : barriers meets=block whole waits=threads orders : barrier, threads?
bar arrive : barriers meets=block whole orders : barrier, threads
bar red : votes meets=block whole waits=threads orders : result, barrier, threads?, predicate
bar warp sync : barriers meets=mask waits=threads orders : mask
barrier sync : barriers meets=block waits=threads orders : barrier, threads?
barrier arrive : barriers meets=block orders : barrier, threads
barrier red : votes meets=block waits=threads orders : result, barrier, threads?, predicate
barrier sync aligned : barriers meets=block whole waits=threads orders : barrier, threads?
barrier arrive aligned : barriers meets=block whole orders : barrier, threads
barrier red aligned : votes meets=block whole waits=threads orders : result, barrier, threads?, predicate
barrier cluster arrive : barriers meets=cluster orders :
barrier cluster arrive aligned : barriers meets=cluster whole orders :
barrier cluster wait : barriers meets=cluster waits=threads orders :
barrier cluster wait aligned : barriers meets=cluster whole waits=threads orders :
shfl : exchanges meets=mask waits=threads : result, data, lane, lane, mask/sync
vote|match|redux : votes meets=mask waits=threads : result, data, mask/sync
elect : votes meets=mask waits=threads : result, data
setmaxnreg : registers meets=warp whole waits=threads : constant
mma|wmma : multiplies meets=warp whole waits=threads : result, data, data, data
ldmatrix : loads meets=warp whole waits=threads : result, read 16
stmatrix : stores meets=warp whole waits=threads : write 16, data
wmma load : loads meets=warp whole waits=threads : result, read fragment, stride?
wmma store : stores meets=warp whole waits=threads : write fragment, data, stride?
wgmma fence : fences meets=warpgroup whole waits=threads agent=product :
wgmma commit_group : commits meets=warpgroup whole waits=threads agent=product :
wgmma wait_group : awaits meets=warpgroup whole waits=groups agent=product : constant
wgmma mma_async : multiplies meets=warpgroup whole waits=threads agent=product : sum, factor, factor, predicate, constant...
tensormap cp_fenceproxy : copies meets=warp whole waits=threads orders : write bytes, read bytes, bytes

# The flow of control
bra : jumps : target
brx : switches : index, target
call : calls : callee...
ret : returns :
exit : exits :
trap : traps :
brkpt : breaks :
nanosleep : pauses : time
pmevent : nothing : constant
griddepcontrol : nothing :

# Asynchronous copies
cp async : copies agent=copy : write bytes, read bytes, bytes, size?, policy/L2::cache_hint
cp async commit_group : commits agent=copy :
cp async wait_group|wait_all : awaits waits=groups agent=copy : constant?
cp async mbarrier arrive : signals agent=copy : update 8
cp async bulk : copies agent=bulk : write bytes, read bytes, bytes, policy/L2::cache_hint
cp async bulk shared::cluster : copies agent=bulk : write bytes, read bytes, bytes, update 8, blocks/multicast::cluster, policy/L2::cache_hint
cp async bulk prefetch : nothing : address, bytes, policy/L2::cache_hint
cp async bulk tensor : copies agent=bulk : write box, read box, policy/L2::cache_hint
cp async bulk tensor shared::cluster : copies agent=bulk : write box, read box, update 8, blocks/multicast::cluster, policy/L2::cache_hint
cp async bulk prefetch tensor : nothing : address, policy/L2::cache_hint
cp reduce async bulk : copies agent=bulk : update bytes, read bytes, bytes, policy/L2::cache_hint
cp reduce async bulk shared::cluster : copies agent=bulk : update bytes, read bytes, bytes, update 8
cp reduce async bulk tensor : copies agent=bulk : update box, read box, policy/L2::cache_hint
cp async bulk commit_group : commits agent=bulk :
cp async bulk wait_group : awaits waits=groups agent=bulk : constant

# Barriers in memory
mbarrier init : makes : write 8, count
mbarrier inval : makes : write 8
mbarrier arrive|arrive_drop : signals : result, update 8, count?
mbarrier expect_tx|complete_tx : signals : update 8, count
mbarrier arrive expect_tx : signals : result, update 8, count
mbarrier test_wait|try_wait : awaits waits=phase : result, read 8, phase, time?
`
