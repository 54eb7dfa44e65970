// A host program for OpenCL. It reads names of kernels, runs each, and prints the milliseconds of
// processor time that it took, of all threads, and a checksum.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *source =
"#pragma OPENCL FP_CONTRACT ON\n"
"kernel void sum_of_products(global const float *a, global const float *b, global float *sums, int n) {\n"
"  local float part[256]; int t = get_local_id(0); float sum = 0;\n"
"  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += a[i]*b[i];\n"
"  part[t] = sum; barrier(CLK_LOCAL_MEM_FENCE);\n"
"  for (int d = 128; d > 0; d /= 2) { if (t < d) part[t] += part[t+d]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
"  if (t == 0) sums[get_group_id(0)] = part[0];\n"
"}\n"
"kernel void product(global const float *a, global const float *b, global float *c, int n) {\n"
"  local float left[256], right[256]; int x = get_local_id(0), y = get_local_id(1);\n"
"  int row = get_group_id(1)*16+y, col = get_group_id(0)*16+x; float sum = 0;\n"
"  for (int k = 0; k < n; k += 16) {\n"
"    left[y*16+x] = a[row*n+k+x]; right[y*16+x] = b[(k+y)*n+col]; barrier(CLK_LOCAL_MEM_FENCE);\n"
"    for (int i = 0; i < 16; i++) sum += left[y*16+i]*right[i*16+x];\n"
"    barrier(CLK_LOCAL_MEM_FENCE);\n"
"  }\n"
"  c[row*n+col] = sum;\n"
"}\n"
"kernel void mandelbrot(global int *steps, int n, int width, double left, double top, double step) {\n"
"  int i = get_global_id(0); if (i >= n) return;\n"
"  double re = left + (i%width)*step, im = top - (i/width)*step, a = 0, b = 0; int k = 0;\n"
"  for (; k < 200 && a*a+b*b <= 4; k++) { double t = a*a-b*b+re; b = 2*a*b+im; a = t; }\n"
"  steps[i] = k;\n"
"}\n"
"kernel void stencil(global const float *in, global float *out, int n) {\n"
"  int x = get_global_id(0), y = get_global_id(1);\n"
"  if (x > 0 && y > 0 && x < n-1 && y < n-1) { int i = y*n+x;\n"
"    out[i] = 0.125f*(in[i-1]+in[i+1]+in[i-n]+in[i+n]) + 0.5f*in[i]; }\n"
"}\n";

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void check(cl_int err, const char *what) {
	if (err) { fprintf(stderr, "%s: error %d\n", what, err); exit(1); }
}

static cl_mem floats(size_t n) {
	float *v = malloc(n * sizeof *v);
	for (size_t i = 0; i < n; i++) v[i] = (float)((i*7 + 3) % 16) / 16;
	cl_int err;
	cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof *v, v, &err);
	check(err, "buffer");
	free(v);
	return m;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static cl_kernel kernel(const char *name) {
	cl_int err;
	cl_kernel k = clCreateKernel(program, name, &err);
	check(err, name);
	return k;
}

#define ARG(k, i, v) check(clSetKernelArg(k, i, sizeof v, &v), "argument")

int main(void) {
	cl_platform_id platform;
	cl_device_id device;
	cl_int err;
	check(clGetPlatformIDs(1, &platform, NULL), "platform");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), "device");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err); check(err, "context");
	queue = clCreateCommandQueue(context, device, 0, &err); check(err, "queue");
	program = clCreateProgramWithSource(context, 1, &source, NULL, &err); check(err, "program");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
	char version[256] = "";
	clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
	printf("%s\n", version); fflush(stdout);
	cl_int n = 10000000, m = 512, s = 1024, width = 640, points = 640*480;
	double left = -2.2, top = 1.2, step = 3.2 / 640;
	cl_kernel dot = kernel("sum_of_products"), product = kernel("product"), mandelbrot = kernel("mandelbrot"), stencil = kernel("stencil");
	cl_mem a = floats(n), b = floats(n), sums = floats(1024), c = floats(m*m), p = floats(m*m), q = floats(m*m), in = floats(s*s), out = floats(s*s);
	cl_mem steps = floats(points);
	ARG(dot, 0, a); ARG(dot, 1, b); ARG(dot, 2, sums); ARG(dot, 3, n);
	ARG(product, 0, p); ARG(product, 1, q); ARG(product, 2, c); ARG(product, 3, m);
	ARG(mandelbrot, 0, steps); ARG(mandelbrot, 1, points); ARG(mandelbrot, 2, width); ARG(mandelbrot, 3, left); ARG(mandelbrot, 4, top); ARG(mandelbrot, 5, step);
	ARG(stencil, 0, in); ARG(stencil, 1, out); ARG(stencil, 2, s);
	struct { const char *name; cl_kernel k; cl_uint dims; size_t global[2], local[2]; cl_mem result; size_t word; } runs[] = {
		{"dot", dot, 1, {1024*256, 1}, {256, 1}, sums, 5}, {"product", product, 2, {m, m}, {16, 16}, c, 777},
		{"mandelbrot", mandelbrot, 1, {points, 1}, {256, 1}, steps, 100000}, {"stencil", stencil, 2, {s, s}, {256, 1}, out, 5000},
	};
	char line[64];
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
			if (strcmp(line, runs[i].name)) continue;
			double start = now();
			check(clEnqueueNDRangeKernel(queue, runs[i].k, runs[i].dims, NULL, runs[i].global, runs[i].local, 0, NULL, NULL), "launch");
			check(clFinish(queue), "finish");
			double ms = now() - start;
			unsigned word;
			check(clEnqueueReadBuffer(queue, runs[i].result, CL_TRUE, 4*runs[i].word, 4, &word, 0, NULL, NULL), "read");
			printf("%f %08x\n", ms, word); fflush(stdout);
		}
	}
	return 0;
}
