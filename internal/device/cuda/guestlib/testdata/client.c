// A program that calls CUDA's driver API. Its first argument says what it tries.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What the program needs of the API, as "CUDA Driver API" has it.
typedef int CUresult, CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct context *CUcontext;
typedef struct module *CUmodule;
typedef struct function *CUfunction;
typedef struct stream *CUstream;
CUresult cuInit(unsigned), cuDeviceGet(CUdevice *, int), cuCtxCreate_v2(CUcontext *, unsigned, CUdevice);
CUresult cuCtxSetCurrent(CUcontext), cuCtxGetCurrent(CUcontext *), cuCtxSynchronize(void), cuDriverGetVersion(int *);
CUresult cuModuleLoadData(CUmodule *, const void *), cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuMemAlloc_v2(CUdeviceptr *, size_t), cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t), cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
CUresult cuStreamCreate(CUstream *, unsigned), cuStreamSynchronize(CUstream), cuGetErrorName(CUresult, const char **);
CUresult cuLaunchHostFunc(CUstream, void (*)(void *), void *), cuArrayGetDescriptor_v2(void *, void *);

#define OK(x)                                                                                  \
	do {                                                                                       \
		CUresult r = (x);                                                                      \
		if (r) {                                                                               \
			const char *name = "?";                                                            \
			cuGetErrorName(r, &name);                                                          \
			printf("%s: %d %s\n", #x, r, name);                                                \
			exit(1);                                                                           \
		}                                                                                      \
	} while (0)

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry add(.param .u64 a, .param .u32 n)\n{\n"
	".reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .f32 %f<3>;\n"
	"ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];\n"
	"mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;\n"
	"setp.ge.u32 %p1, %r5, %r1; @%p1 bra DONE;\n"
	"mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;\n"
	"ld.f32 %f1, [%rd3]; add.f32 %f2, %f1, 0f3F800000; st.f32 [%rd3], %f2;\n"
	"DONE: ret;\n}\n"
	".visible .entry race(.param .u64 a)\n{\n"
	".reg .b32 %r<5>; .reg .b64 %rd<4>; .shared .align 4 .b8 tile[512];\n"
	"ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3;\n"
	"st.shared.u32 [%r2], %r1;\n"
	"xor.b32 %r3, %r3, 508; mov.u32 %r4, tile; add.u32 %r4, %r4, %r3;\n"
	"ld.shared.u32 %r4, [%r4];\n"
	"mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.u32 [%rd3], %r4; ret;\n}\n";

enum { N = 1001 };
static CUcontext context;
static CUfunction add, race;

static void load(void) {
	CUdevice device;
	CUmodule module;
	OK(cuInit(0));
	OK(cuDeviceGet(&device, 0));
	OK(cuCtxCreate_v2(&context, 0, device));
	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&add, module, "add"));
	OK(cuModuleGetFunction(&race, module, "race"));
}

// sum adds 1 to N floats, times times, on a stream of its own.
static void *sum(void *times) {
	CUdeviceptr a;
	CUstream s;
	float x[N];
	unsigned n = N;
	void *args[] = {&a, &n};
	OK(cuCtxSetCurrent(context));
	OK(cuStreamCreate(&s, 1));
	for (int i = 0; i < N; i++)
		x[i] = i;
	OK(cuMemAlloc_v2(&a, sizeof x));
	OK(cuMemcpyHtoD_v2(a, x, sizeof x));
	for (intptr_t i = 0; i < (intptr_t)times; i++)
		OK(cuLaunchKernel(add, (N + 127) / 128, 1, 1, 128, 1, 1, 0, s, args, NULL));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(x, a, sizeof x));
	for (int i = 0; i < N; i++)
		if (x[i] != i + (intptr_t)times) {
			printf("wrong at %d: %g\n", i, x[i]);
			exit(1);
		}
	return NULL;
}

static int child(void) {
	int status = 0, version = 0;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		alarm(20);
		CUresult r = cuInit(0);
		if (r == 0 && cuDriverGetVersion(&version) == 0) {
			load();
			sum((void *)3);
		}
		_exit(r);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static volatile sig_atomic_t seen[65];
static pthread_t main_thread;
static void handler(int n) { seen[n] = pthread_equal(pthread_self(), main_thread) ? 1 : 2; }

// signals looks whether the program's handlers are still set, and run on its own threads.
static void signals(void) {
	static const int list[] = {SIGSEGV, SIGBUS, SIGFPE, SIGPIPE, SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGPROF};
	main_thread = pthread_self();
	struct sigaction a = {.sa_handler = handler}, now;
	for (unsigned i = 0; i < sizeof list / sizeof *list; i++)
		sigaction(list[i], &a, NULL);
	load();
	sum((void *)5);
	for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
		sigaction(list[i], NULL, &now);
		for (int times = 0; times < 50; times++) {
			seen[list[i]] = 0;
			kill(getpid(), list[i]);
			for (int wait = 0; wait < 1000 && !seen[list[i]]; wait++)
				usleep(100);
			if (now.sa_handler != handler || seen[list[i]] != 1) {
				printf("signal %d: %s handler, seen %d\n", list[i], now.sa_handler == handler ? "its" : "another", seen[list[i]]);
				exit(1);
			}
		}
	}
	sum((void *)5);
}

static void note(void *p) { *(int *)p += 1; }

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * t.tv_sec + t.tv_nsec;
}

// TIME prints the least time of a call, of rounds of some calls: other programs take their share of others.
#define TIME(what, calls, call, after)                                                         \
	do {                                                                                       \
		double least = 1e18;                                                                   \
		for (int round = 0; round < 100; round++) {                                            \
			double from = now();                                                               \
			for (int i = 0; i < calls; i++)                                                    \
				OK(call);                                                                      \
			double took = (now() - from) / calls;                                              \
			least = took < least ? took : least;                                               \
			OK(after);                                                                         \
		}                                                                                      \
		printf("%s %.0f ns\n", what, least);                                                   \
	} while (0)

static void times(void) {
	CUdeviceptr a;
	CUcontext c;
	CUstream s;
	unsigned n = 32;
	void *args[] = {&a, &n};
	OK(cuMemAlloc_v2(&a, 4096));
	OK(cuStreamCreate(&s, 1));
	TIME("cuCtxGetCurrent", 1000, cuCtxGetCurrent(&c), 0);
	TIME("cuMemcpyHtoD of 4 bytes", 200, cuMemcpyHtoD_v2(a, &n, 4), 0);
	TIME("cuMemcpyDtoH of 4 bytes", 200, cuMemcpyDtoH_v2(&n, a, 4), 0);
	n = 32;
	TIME("cuLaunchKernel", 100, cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, s, args, NULL), cuStreamSynchronize(s));
}

int main(int argc, char **argv) {
	const char *what = argc > 1 ? argv[1] : "add";
	int called = 0;
	if (!strcmp(what, "fork")) {
		int before = child();
		load();
		sum((void *)2);
		printf("before %d, after %d\n", before, child());
		return 0;
	}
	if (!strcmp(what, "signals")) {
		signals();
		puts("right");
		return 0;
	}
	load();
	if (!strcmp(what, "times")) {
		times();
	} else if (!strcmp(what, "race")) {
		CUdeviceptr a;
		void *args[] = {&a};
		OK(cuMemAlloc_v2(&a, 512));
		OK(cuLaunchKernel(race, 1, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
		return 0; // without waiting for it
	} else if (!strcmp(what, "missing")) {
		printf("%d\n", cuArrayGetDescriptor_v2(NULL, NULL));
	} else if (!strcmp(what, "callback")) {
		OK(cuLaunchHostFunc(NULL, note, &called));
		OK(cuCtxSynchronize());
		printf("called %d\n", called);
	} else if (!strcmp(what, "threads")) {
		pthread_t list[16];
		for (int i = 0; i < 16; i++)
			pthread_create(&list[i], NULL, sum, (void *)20);
		for (int i = 0; i < 16; i++)
			pthread_join(list[i], NULL);
		puts("right");
	} else {
		sum((void *)7);
		puts("right");
	}
	return 0;
}
