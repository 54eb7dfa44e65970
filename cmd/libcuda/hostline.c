//go:build linux && cgo

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hostline.h"

// What is called of Python's stable API, if the process has it. Its objects are pointers here.
static struct {
	int (*IsInitialized)(void), (*IsFinalizing)(void), (*Ensure)(void), (*GetLineNumber)(void *);
	int (*DisableGC)(void), (*EnableGC)(void);
	void *(*GetThisThreadState)(void), *(*GetFrame)(void *), *(*GetBack)(void *), *(*GetCode)(void *);
	void *(*GetAttrString)(void *, const char *);
	const char *(*AsUTF8)(void *, intptr_t *);
	void (*Release)(int), (*DecRef)(void *), (*Fetch)(void **, void **, void **), (*Restore)(void *, void *, void *);
} py;
static int python; // all of it is there
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int found(void *to, const char *name) {
	void *f = dlsym(RTLD_DEFAULT, name);
	memcpy(to, &f, sizeof f);
	return f != NULL;
}

static void find(void) {
	python = found(&py.IsInitialized, "Py_IsInitialized") &&
	         (found(&py.IsFinalizing, "Py_IsFinalizing") || found(&py.IsFinalizing, "_Py_IsFinalizing")) &&
	         found(&py.Ensure, "PyGILState_Ensure") && found(&py.Release, "PyGILState_Release") &&
	         found(&py.GetThisThreadState, "PyGILState_GetThisThreadState") &&
	         found(&py.GetFrame, "PyThreadState_GetFrame") && found(&py.GetBack, "PyFrame_GetBack") &&
	         found(&py.GetCode, "PyFrame_GetCode") && found(&py.GetLineNumber, "PyFrame_GetLineNumber") &&
	         found(&py.GetAttrString, "PyObject_GetAttrString") && found(&py.AsUTF8, "PyUnicode_AsUTF8AndSize") &&
	         found(&py.DecRef, "Py_DecRef") && found(&py.Fetch, "PyErr_Fetch") && found(&py.Restore, "PyErr_Restore");
	if (!found(&py.DisableGC, "PyGC_Disable") || !found(&py.EnableGC, "PyGC_Enable")) // Python 3.9
		py.DisableGC = NULL;
}

// library says whether a file is not the program's own, but a package's or Python's.
static int library(const char *file) {
	return file[0] == '<' || strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") || strstr(file, "/lib/python3");
}

// fileOf copies the name of a frame's file.
static void fileOf(void *frame, char *buf, size_t n) {
	void *code = py.GetCode(frame);
	void *name = py.GetAttrString(code, "co_filename");
	const char *text = name ? py.AsUTF8(name, NULL) : NULL;
	snprintf(buf, n, "%s", text ? text : "");
	if (name)
		py.DecRef(name);
	py.DecRef(code);
}

// innermost finds the innermost frame of a thread that is the program's own. It needs Python's lock.
static int innermost(void *thread, char *buf, size_t n) {
	int line = 0;
	void *frame = py.GetFrame(thread);
	for (int depth = 0; frame && depth < 1000; depth++) {
		fileOf(frame, buf, n);
		if (buf[0] && !library(buf))
			line = py.GetLineNumber(frame);
		void *outer = line ? NULL : py.GetBack(frame);
		py.DecRef(frame);
		frame = outer;
	}
	if (frame)
		py.DecRef(frame);
	if (!line)
		buf[0] = 0;
	return line;
}

// pythonLine takes Python's lock, as any callback of a library does, and leaves no trace: no
// collection of garbage begins, and an exception that is under way stays so.
static int pythonLine(char *buf, size_t n) {
	void *thread, *type, *value, *traceback;
	if (!python || !py.IsInitialized() || py.IsFinalizing() || (thread = py.GetThisThreadState()) == NULL)
		return 0;
	int state = py.Ensure();
	int collects = py.DisableGC && py.DisableGC();
	py.Fetch(&type, &value, &traceback);
	int line = innermost(thread, buf, n);
	py.Restore(type, value, traceback);
	if (collects)
		py.EnableGC();
	py.Release(state);
	return line;
}

int hostline(char *buf, size_t n, const void *caller) {
	Dl_info at;
	buf[0] = 0;
	pthread_once(&once, find);
	int line = pythonLine(buf, n);
	if (line || !caller || !dladdr(caller, &at) || !at.dli_fname)
		return line;
	const char *slash = strrchr(at.dli_fname, '/');
	snprintf(buf, n, "%s%s%s+%#lx", at.dli_sname ? at.dli_sname : "", at.dli_sname ? " in " : "", slash ? slash + 1 : at.dli_fname,
	         (unsigned long)((const char *)caller - 1 - (const char *)at.dli_fbase)); // of the call, not behind it
	return 0;
}
