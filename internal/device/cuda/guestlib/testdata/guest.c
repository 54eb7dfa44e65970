// A program that loads CUDA's driver as libraries do, by dlopen, and ends, forks, closes and is
// interrupted at bad moments. Its first argument says what it tries.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// A kernel that runs for a while: n rounds of a loop.
static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry spin(.param .u64 a, .param .u32 n)\n{\n"
	".reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
	"ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;\n"
	"LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"
	"st.u32 [%rd1], %r2; ret;\n}\n";

static void *library;
static int (*init)(unsigned), (*get)(int *, int), (*create)(void **, unsigned, int), (*setCurrent)(void *);
static int (*load)(void **, const void *), (*function)(void **, void *, const char *), (*alloc)(uint64_t *, size_t);
static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static int (*synchronize)(void), (*copy)(void *, uint64_t, size_t);
static void *context, *spin;
static uint64_t buffer;

static void need(int right, const char *what) {
	if (!right) {
		printf("wrong: %s\n", what);
		fflush(stdout);
		_exit(1);
	}
}

static void find(void *f, const char *name) {
	void *p = dlsym(library, name);
	need(p != NULL, name);
	memcpy(f, &p, sizeof p);
}

static void open_library(void) {
	library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	need(library != NULL, "dlopen");
	find(&init, "cuInit");
	find(&get, "cuDeviceGet");
	find(&create, "cuCtxCreate_v2");
	find(&setCurrent, "cuCtxSetCurrent");
	find(&load, "cuModuleLoadData");
	find(&function, "cuModuleGetFunction");
	find(&alloc, "cuMemAlloc_v2");
	find(&launch, "cuLaunchKernel");
	find(&synchronize, "cuCtxSynchronize");
	find(&copy, "cuMemcpyDtoH_v2");
}

static void start(void) {
	int device;
	void *module;
	open_library();
	need(init(0) == 0 && get(&device, 0) == 0 && create(&context, 0, device) == 0, "a context");
	need(load(&module, ptx) == 0 && function(&spin, module, "spin") == 0 && alloc(&buffer, 4) == 0, "a module");
}

static void run(unsigned n) {
	void *args[] = {&buffer, &n};
	need(launch(spin, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL) == 0, "a launch");
}

static unsigned result(void) {
	unsigned n = 0;
	need(synchronize() == 0 && copy(&n, buffer, 4) == 0, "the kernel's end");
	return n;
}

enum { SHORT = 1000, LONG = 300000 };

static void *thread(void *unused) {
	(void)unused;
	need(synchronize() == 201, "a context on a new thread");
	need(setCurrent(context) == 0, "the context on a thread");
	run(SHORT);
	return NULL; // with its context current, as programs do
}

static volatile sig_atomic_t ticks;
static void tick(int n) { ticks += n == SIGPROF || n == SIGALRM; }

// interrupted launches while timers interrupt every thread of the program, without SA_RESTART.
static void interrupted(void) {
	struct sigaction a = {.sa_handler = tick};
	struct itimerval t = {{0, 1000}, {0, 1000}};
	sigaction(SIGPROF, &a, NULL);
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_PROF, &t, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
	start();
	for (int i = 0; i < 50; i++) {
		run(SHORT);
		need(result() == SHORT, "a kernel under timers");
	}
	while (ticks < 50)
		usleep(100);
}

static int ended(pid_t pid) {
	int status = 0;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// children forks while a kernel runs, from this thread, and starts programs.
static void children(void) {
	start();
	run(LONG);
	for (int i = 0; i < 20; i++) {
		fflush(stdout);
		pid_t pid = fork();
		if (pid == 0) {
			alarm(20);
			_exit(init(0) == 3 && synchronize() == 3 ? 7 : 8);
		}
		need(ended(pid) == 7, "a child");
		need(system("true") == 0, "a program");
	}
	need(result() == LONG, "the kernel of the parent");
	pid_t pid = fork();
	if (pid == 0)
		exit(9); // with handlers of the end, which must not wait for Go
	need(ended(pid) == 9, "a child that exits");
}

// closed closes the library and opens it again.
static void closed(void) {
	for (int i = 0; i < 3; i++) {
		open_library();
		dlclose(library);
	}
	start();
	run(SHORT);
	dlclose(library);
	usleep(1000);
	need(result() == SHORT, "a kernel after dlclose");
	open_library();
	run(SHORT);
	need(result() == SHORT, "a kernel after another dlopen");
}

static void *exits(void *unused) {
	(void)unused;
	exit(0);
}

int main(int argc, char **argv) {
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t;
	alarm(100);
	if (!strcmp(what, "interrupted")) {
		interrupted();
	} else if (!strcmp(what, "children")) {
		children();
	} else if (!strcmp(what, "closed")) {
		closed();
	} else if (!strcmp(what, "threads")) { // that Go did not make, and that end
		start();
		for (int i = 0; i < 300; i++) {
			need(pthread_create(&t, NULL, thread, NULL) == 0, "a thread");
			pthread_join(t, NULL);
		}
		need(result() == SHORT, "the kernels of threads");
	} else { // ends, in some way, while a kernel runs
		start();
		run(LONG);
		puts("right");
		fflush(stdout);
		if (!strcmp(what, "_exit"))
			_exit(0);
		if (!strcmp(what, "abort"))
			abort();
		if (!strcmp(what, "killed"))
			kill(getpid(), SIGKILL);
		if (!strcmp(what, "thread exits")) {
			pthread_create(&t, NULL, exits, NULL);
			pthread_join(t, NULL);
		}
		return 0;
	}
	puts("right");
	return 0;
}
