// libcuda.so.1: the functions of CUDA's driver API, which the simulated driver answers. It loads the
// driver, which is in Go, at the first call: so a process may fork before, and a program that only
// links with CUDA starts no Go. The folder's README says how it keeps out of the program's way.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Results of CUDA's that the stub gives itself.
enum { NOT_INITIALIZED = 3, DEINITIALIZED = 4, OPERATING_SYSTEM = 304 };

enum { MAX_ARGS = 16 };

// block is a structure of 64 bytes that is passed by value.
typedef struct { char bytes[64]; } block;

static int (*go_open)(uintptr_t *, int, uintptr_t);
static unsigned (*go_call)(int, uintptr_t *);
static void (*go_thread)(void);
static void (*go_test)(const char *);
static void (*go_finish)(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int state = NOT_INITIALIZED; // the result of all calls while it is not 0
static int started;                 // Go runs in this process, or did in one that it was forked from
static __thread int known;          // this thread has called before
static __thread void *caller;       // of the function that this thread is in
static char *test;                  // the name of the test that launches belong to, before Go is started

static const void *called_from(void) { return caller; }

static int open_driver(void);

static void finish(void) {
	if (state == 0) {
		go_finish();
		state = DEINITIALIZED;
	}
}

// forked makes all calls fail in a process that was forked once Go ran: only the thread that forked
// goes on there.
static void forked(void) {
	if (started)
		state = NOT_INITIALIZED;
}

// SYNCHRONOUS are the signals whose handlers Go sets in every process, and SIGPIPE, which it sets too.
static const int SYNCHRONOUS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGPIPE};
enum { N_SYNCHRONOUS = sizeof SYNCHRONOUS / sizeof *SYNCHRONOUS };

// start loads Go. Its threads take over the mask of this one, so they handle none of the program's
// signals; and the program's handlers are put back.
static void start(void) {
	sigset_t all, before;
	struct sigaction handlers[N_SYNCHRONOUS];
	pthread_atfork(NULL, NULL, forked);
	sigfillset(&all);
	sigdelset(&all, SIGURG); // by which Go interrupts its own threads
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int i = 0; i < N_SYNCHRONOUS; i++)
		sigaction(SYNCHRONOUS[i], NULL, &handlers[i]);
	started = 1;
	state = open_driver();
	for (int i = 0; i < N_SYNCHRONOUS; i++)
		sigaction(SYNCHRONOUS[i], &handlers[i], NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (state == 0)
		atexit(finish);
}

static unsigned call(int function, uintptr_t *args) {
	if (state != 0) {
		if (started)
			return state;
		pthread_once(&once, start);
		if (state != 0)
			return state;
	}
	if (!known) {
		known = 1;
		go_thread();
	}
	return go_call(function, args);
}

// float_bits are a float's bits: a function's arguments come to the driver as integers.
static uintptr_t float_bits(float value) {
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

typedef uintptr_t p;
typedef unsigned i;
typedef float f;
typedef block s;
#define P(n) (a##n)
#define I(n) (a##n)
#define F(n) float_bits(a##n)
#define S(n) ((uintptr_t)&a##n)
#define FUNCTION(number, name, params, ...)                                                    \
	__attribute__((visibility("default"))) unsigned name params {                              \
		uintptr_t args[MAX_ARGS] = {__VA_ARGS__};                                              \
		caller = __builtin_return_address(0);                                                  \
		return call(number, args);                                                             \
	}
#include "functions.h"
#undef FUNCTION

static uintptr_t functions[] = {
#define FUNCTION(number, name, params, ...) (uintptr_t)name,
#include "functions.h"
};

// open_driver loads the driver from the folder that this library is in.
static int open_driver(void) {
	Dl_info self;
	char path[4096];
	const char *slash;
	if (!dladdr((void *)open_driver, &self) || (slash = strrchr(self.dli_fname, '/')) == NULL ||
	    snprintf(path, sizeof path, "%.*s/libgridstride_cuda.so", (int)(slash - self.dli_fname), self.dli_fname) >= (int)sizeof path) {
		fprintf(stderr, "gridstride: the folder of libcuda.so.1 is not known\n");
		return OPERATING_SYSTEM;
	}
	void *go = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (go == NULL) {
		fprintf(stderr, "gridstride: %s\n", dlerror());
		return OPERATING_SYSTEM;
	}
	// A program that closes this library must not lose it: Go does not end.
	dlopen(self.dli_fname, RTLD_NOW | RTLD_NODELETE);
	go_open = (int (*)(uintptr_t *, int, uintptr_t))dlsym(go, "gridstrideOpen");
	go_call = (unsigned (*)(int, uintptr_t *))dlsym(go, "gridstrideCall");
	go_thread = (void (*)(void))dlsym(go, "gridstrideThread");
	go_finish = (void (*)(void))dlsym(go, "gridstrideFinish");
	go_test = (void (*)(const char *))dlsym(go, "gridstrideTest");
	if (!go_open || !go_call || !go_thread || !go_finish || !go_test) {
		fprintf(stderr, "gridstride: %s is no simulated driver\n", path);
		return OPERATING_SYSTEM;
	}
	if (go_open(functions, sizeof functions / sizeof *functions, (uintptr_t)called_from) != 0)
		return OPERATING_SYSTEM;
	if (test != NULL)
		go_test(test);
	return 0;
}

// gridstride_test makes what is launched from now on belong to the test of a name, "" for none, in the
// findings of gridstride check. It waits for all work before, so that no launch belongs to the test after
// its own. It may be called before CUDA is, and starts nothing then. No other thread may call it at the
// same time.
__attribute__((visibility("default"))) void gridstride_test(const char *name) {
	if (started && state == 0) {
		go_test(name);
		return;
	}
	free(test);
	test = strdup(name);
}
