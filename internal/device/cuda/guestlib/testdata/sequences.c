// Random sequences of calls of CUDA's driver, valid and not: sequences DRIVER FIRST COUNT [dangling]
// runs the sequences FIRST, FIRST + 1, … of a driver and prints each call with its result, so that two
// drivers can be compared: they run the same calls until their results differ. With dangling it also
// passes handles that were destroyed or never were, which NVIDIA's driver does not survive.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char good[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .global .align 4 .b8 table[64];\n"
	".visible .entry fill(.param .u64 a, .param .u32 v)\n{\n"
	".reg .b32 %r<3>; .reg .b64 %rd<4>;\n"
	"ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [v]; mov.u32 %r2, %tid.x;\n"
	"mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2; st.u32 [%rd3], %r1; ret;\n}\n"
	".visible .entry fail()\n{\n.reg .b64 %rd<2>;\nmov.u64 %rd1, 16; st.u32 [%rd1], 1; ret;\n}\n";
static const char bad[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nno.such %r1;\n}\n";

enum { SLOTS = 3, BYTES = 512 };
typedef void *handle;
static handle contexts[SLOTS], modules[SLOTS], functions[SLOTS], streams[SLOTS], events[SLOTS], graphs[SLOTS], executables[SLOTS];
static void *pinned[SLOTS];
static uint64_t memory[SLOTS];
static char host[1 << 16];
static void *driver;
static uint64_t state;
static int dangling, sequence, steps;

// any is a random number below n.
static unsigned any(unsigned n) {
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 20) % n);
}

// rarely is b about once in n times, and otherwise a.
static uint64_t rarely(unsigned n, uint64_t a, uint64_t b) { return any(n) ? a : b; }

// one is a handle of a kind: of something that is there, or NULL, or with dangling of anything.
static handle one(handle *list) {
	handle h = list[any(SLOTS)];
	if (dangling && any(16) == 0)
		h = (handle)(uintptr_t)(any(2) ? 0x1000 + 16 * any(200) : (state | 1));
	return h;
}

// out is where a result goes, which may be nowhere.
static void *out(void *p) { return any(32) ? p : NULL; }

static unsigned note(const char *name, unsigned result) {
	if (result == 600) // CUDA_ERROR_NOT_READY, which is a matter of time
		result = 0;
	printf("%d %d %s %u\n", sequence, steps++, name, result);
	return result;
}

#define CALL(name, types, args)                                                                \
	(printf("%d %d %s ...\n", sequence, steps, #name), fflush(stdout), note(#name, ((unsigned(*) types)symbol(#name)) args))

static void *symbol(const char *name) {
	void *f = dlsym(driver, name);
	if (f == NULL) {
		printf("no %s\n", name);
		exit(3);
	}
	return f;
}

// drop empties a slot of what was destroyed, unless handles may dangle.
static void drop(handle *list, handle h) {
	for (int i = 0; i < SLOTS && !dangling; i++)
		if (list[i] == h)
			list[i] = NULL;
}

// address is one of memory, its middle, or none.
static uint64_t address(void) { return memory[any(SLOTS)] + rarely(8, 0, 4 * any(200)); }
static uint64_t size(void) { return rarely(6, 4 * any(BYTES / 4 + 1), any(2) ? 3 : 100000); }

static void aboutDevices(unsigned n) {
	int number;
	switch (n) {
	case 0: CALL(cuInit, (unsigned), (rarely(8, 0, 1))); break;
	case 1: CALL(cuDriverGetVersion, (int *), (out(&number))); break;
	case 2: CALL(cuDeviceGetCount, (int *), (out(&number))); break;
	case 3: CALL(cuDeviceGet, (int *, int), (out(&number), (int)rarely(4, 0, any(2) ? -1 : 99))); break;
	case 4: CALL(cuDeviceGetName, (char *, int, int), (out(host), (int)rarely(4, 64, 1), (int)rarely(4, 0, 99))); break;
	case 5: CALL(cuDeviceGetAttribute, (int *, int, int), (out(&number), (int)rarely(4, 1 + any(80), 100000), (int)rarely(4, 0, 99))); break;
	case 6: CALL(cuDeviceTotalMem_v2, (void *, int), (out(host), (int)rarely(4, 0, 99))); break;
	case 7: CALL(cuGetErrorName, (int, void *), ((int)rarely(4, 1, 12345), out(host))); break;
	case 8: CALL(cuGetErrorString, (int, void *), ((int)rarely(4, 700, 12345), out(host))); break;
	}
}

static void aboutContexts(unsigned n) {
	handle *slot = &contexts[any(SLOTS)], h = one(contexts);
	int i = any(SLOTS);
	switch (n) {
	case 0:
		if (*slot == NULL)
			CALL(cuCtxCreate_v2, (void *, unsigned, int), (out(slot), (unsigned)rarely(6, 0, 0x80000), (int)rarely(6, 0, 99)));
		break;
	case 1: CALL(cuCtxSetCurrent, (handle), (h)); break;
	case 2: CALL(cuCtxPushCurrent_v2, (handle), (h)); break;
	case 3: CALL(cuCtxPopCurrent_v2, (void *), (any(2) ? (void *)host : NULL)); break;
	case 4: CALL(cuCtxGetCurrent, (void *), (out(host))); break;
	case 5: CALL(cuCtxGetDevice, (void *), (out(host))); break;
	case 6: CALL(cuCtxSynchronize, (void), ()); break;
	case 7: CALL(cuCtxGetLimit, (void *, int), (out(host), (int)rarely(4, any(3), 99))); break;
	case 8: CALL(cuCtxGetFlags, (void *), (out(host))); break;
	case 9: CALL(cuCtxGetStreamPriorityRange, (void *, void *), (out(host), out(host + 8))); break;
	case 10: CALL(cuMemGetInfo_v2, (void *, void *), (out(host), out(host + 8))); break;
	case 11: CALL(cuCtxGetApiVersion, (handle, void *), (contexts[i], out(host))); break;
	}
}

static void aboutCode(unsigned n) {
	static const char *const names[] = {"fill", "fail", "none", ""};
	int i = any(SLOTS);
	unsigned value = any(100), threads = (unsigned)rarely(6, 1 + any(32), any(2) ? 0 : 5000);
	uint64_t to = memory[any(SLOTS)];
	void *params[] = {&to, &value};
	switch (n) {
	case 0: CALL(cuModuleLoadData, (void *, const void *), (out(&modules[i]), rarely(4, 0, 1) ? bad : good)); break;
	case 1: CALL(cuModuleGetFunction, (void *, handle, const char *), (out(&functions[i]), one(modules), names[rarely(3, 0, 2 + any(2))])); break;
	case 2: CALL(cuModuleGetGlobal_v2, (void *, void *, handle, const char *), (any(2) ? (void *)host : NULL, host + 8, one(modules), any(3) ? "table" : "none")); break;
	case 3: CALL(cuFuncGetAttribute, (void *, int, handle), (out(host), (int)rarely(4, any(8), 99), one(functions))); break;
	case 4: CALL(cuFuncSetAttribute, (handle, int, int), (one(functions), (int)rarely(3, 8, any(100)), (int)rarely(3, 1024, -1))); break;
	case 5: CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, (void *, handle, int, size_t), (out(host), one(functions), (int)threads, 0)); break;
	case 6: case 7: case 8:
		if (dangling || to != 0)
			CALL(cuLaunchKernel, (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **),
			     (one(functions), (unsigned)rarely(6, 1, 0), 1, 1, threads, 1, 1, (unsigned)rarely(8, 0, 1 << 22), one(streams), params, NULL));
		break;
	case 9: {
		handle m = one(modules); // and its functions with it
		if (CALL(cuModuleUnload, (handle), (m)) == 0 && !dangling)
			memset(functions, 0, sizeof functions);
		drop(modules, m);
		break;
	}
	}
}

static void aboutMemory(unsigned n) {
	int i = any(SLOTS);
	switch (n) {
	case 0: case 1:
		if (memory[i] == 0)
			CALL(cuMemAlloc_v2, (void *, size_t), (out(&memory[i]), rarely(6, BYTES, any(2) ? 0 : 1ull << 60)));
		break;
	case 2: {
		uint64_t a = memory[i] + rarely(6, 0, 4);
		if (dangling || memory[i] != 0)
			if (CALL(cuMemFree_v2, (uint64_t), (a)) == 0 && !dangling)
				memory[i] = 0;
		break;
	}
	case 3: CALL(cuMemcpyHtoD_v2, (uint64_t, void *, size_t), (address(), host, size())); break;
	case 4: CALL(cuMemcpyDtoH_v2, (void *, uint64_t, size_t), (host, address(), size() % sizeof host)); break;
	case 5: CALL(cuMemcpyDtoD_v2, (uint64_t, uint64_t, size_t), (address(), address(), size())); break;
	case 6: CALL(cuMemsetD8_v2, (uint64_t, unsigned char, size_t), (address(), 7, size())); break;
	case 7: CALL(cuMemsetD32_v2, (uint64_t, unsigned, size_t), (address() + rarely(6, 0, 2), 7, size() / 4)); break;
	case 8: CALL(cuMemGetAddressRange_v2, (void *, void *, uint64_t), (host, host + 8, address())); break;
	case 9: CALL(cuPointerGetAttribute, (void *, int, uint64_t), (out(host), (int)rarely(4, 2, 999), address())); break;
	case 10:
		if (pinned[i] == NULL)
			CALL(cuMemHostAlloc, (void *, size_t, unsigned), (out(&pinned[i]), rarely(6, BYTES, 0), (unsigned)rarely(6, any(8), 256)));
		break;
	case 11:
		if (CALL(cuMemFreeHost, (void *), (rarely(4, 0, 1) ? host : pinned[i])) == 0)
			pinned[i] = NULL;
		break;
	}
}

static void aboutStreams(unsigned n) {
	int i = any(SLOTS);
	handle s = one(streams), e = one(events);
	switch (n) {
	case 0:
		if (streams[i] == NULL)
			CALL(cuStreamCreate, (void *, unsigned), (out(&streams[i]), (unsigned)rarely(4, any(2), 8)));
		break;
	case 1: CALL(cuStreamQuery, (handle), (s)); break;
	case 2: CALL(cuStreamSynchronize, (handle), (s)); break;
	case 3: CALL(cuStreamWaitEvent, (handle, handle, unsigned), (s, e, (unsigned)rarely(6, 0, 9))); break;
	case 4:
		if (dangling || s != NULL) {
			CALL(cuStreamDestroy_v2, (handle), (s));
			drop(streams, s);
		}
		break;
	case 5:
		if (events[i] == NULL)
			CALL(cuEventCreate, (void *, unsigned), (out(&events[i]), (unsigned)rarely(4, any(4), 64)));
		break;
	case 6: CALL(cuEventRecord, (handle, handle), (e, s)); break;
	case 7: CALL(cuEventQuery, (handle), (e)); break;
	case 8: CALL(cuEventSynchronize, (handle), (e)); break;
	case 9: CALL(cuEventElapsedTime, (void *, handle, handle), (host, e, one(events))); break;
	case 10:
		CALL(cuEventDestroy_v2, (handle), (e));
		drop(events, e);
		break;
	case 11: CALL(cuStreamGetFlags, (handle, void *), (s, out(host))); break;
	}
}

static void aboutGraphs(unsigned n) {
	int i = any(SLOTS);
	handle s = one(streams), g = one(graphs), x = one(executables);
	switch (n) {
	case 0: CALL(cuStreamBeginCapture_v2, (handle, int), (s, (int)rarely(6, any(3), 7))); break;
	case 1: CALL(cuStreamEndCapture, (handle, void *), (s, out(&graphs[i]))); break;
	case 2: CALL(cuStreamIsCapturing, (handle, void *), (s, out(host))); break;
	case 3: CALL(cuGraphCreate, (void *, unsigned), (out(&graphs[i]), (unsigned)rarely(6, 0, 1))); break;
	case 4: CALL(cuGraphInstantiateWithFlags, (void *, handle, uint64_t), (out(&executables[i]), g, rarely(6, 0, 1 << 20))); break;
	case 5: CALL(cuGraphLaunch, (handle, handle), (x, s)); break;
	case 6:
		CALL(cuGraphDestroy, (handle), (g));
		drop(graphs, g);
		break;
	case 7:
		CALL(cuGraphExecDestroy, (handle), (x));
		drop(executables, x);
		break;
	}
}

// begin makes what most sequences need: a context that is current, a module, a function, memory.
static void begin(void) {
	memset(modules, 0, sizeof modules), memset(functions, 0, sizeof functions), memset(streams, 0, sizeof streams);
	memset(events, 0, sizeof events), memset(graphs, 0, sizeof graphs), memset(executables, 0, sizeof executables);
	memset(memory, 0, sizeof memory), memset(pinned, 0, sizeof pinned), memset(contexts, 0, sizeof contexts);
	if (any(8) == 0)
		return;
	CALL(cuInit, (unsigned), (0));
	CALL(cuCtxCreate_v2, (void *, unsigned, int), (&contexts[0], 0, 0));
	CALL(cuModuleLoadData, (void *, const void *), (&modules[0], good));
	CALL(cuModuleGetFunction, (void *, handle, const char *), (&functions[0], modules[0], "fill"));
	CALL(cuMemAlloc_v2, (void *, size_t), (&memory[0], BYTES));
	CALL(cuStreamCreate, (void *, unsigned), (&streams[0], 1));
}

static void step(void) {
	static const struct { void (*f)(unsigned); unsigned n, weight; } kinds[] = {
		{aboutDevices, 9, 1}, {aboutContexts, 12, 2}, {aboutCode, 10, 4}, {aboutMemory, 12, 4}, {aboutStreams, 12, 3}, {aboutGraphs, 8, 2}};
	unsigned n = any(16);
	for (unsigned i = 0;; i++) {
		if (n < kinds[i].weight) {
			kinds[i].f(any(kinds[i].n));
			return;
		}
		n -= kinds[i].weight;
	}
}

// lose ends the context by a kernel that writes where nothing is. Whatever comes then says so.
static void lose(void) {
	handle f = NULL;
	CALL(cuModuleGetFunction, (void *, handle, const char *), (&f, modules[0], "fail"));
	CALL(cuLaunchKernel, (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **),
	     (f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	for (int i = 0; i < 3; i++)
		CALL(cuCtxSynchronize, (void), ());
	CALL(cuMemAlloc_v2, (void *, size_t), (host, BYTES));
	CALL(cuStreamQuery, (handle), (streams[0]));
	CALL(cuMemcpyHtoD_v2, (uint64_t, void *, size_t), (memory[0], host, 4));
}

int main(int argc, char **argv) {
	if (argc < 4 || (driver = dlopen(argv[1], RTLD_NOW)) == NULL) {
		fprintf(stderr, "sequences DRIVER FIRST COUNT [dangling]\n");
		return 2;
	}
	dangling = argc > 4;
	int first = atoi(argv[2]), count = atoi(argv[3]);
	for (sequence = first; sequence < first + count; sequence++) {
		steps = 0;
		state = 0x9e3779b97f4a7c15u * (uint64_t)(sequence + 1);
		begin();
		for (int n = 10 + (int)any(40); n > 0; n--)
			step();
		if (sequence == first + count - 1 && modules[0] != NULL) // the last of the process
			lose();
		for (int i = 0; i < SLOTS; i++)
			if (contexts[i] != NULL)
				CALL(cuCtxDestroy_v2, (handle), (contexts[i]));
	}
	puts("end");
	return 0;
}
