/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Stands for the driver's libcuda.so.1 where there is none: one device of compute capability 9.0,
 * of which nothing can be had but its properties. Clients ask for these before they link.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

enum { kSuccess = 0, kNotSupported = 801, kNotFound = 500 };
static char device_context;
static char handles[1000000]; /* a byte for each library, so that no two are the same */

/* A loader wants these; linking does not. */
#define NOT_SUPPORTED(name)                                                                        \
  int name(void) {                                                                                 \
    return kNotSupported;                                                                          \
  }
NOT_SUPPORTED(cuFuncGetAttribute)
NOT_SUPPORTED(cuFuncSetAttribute)
NOT_SUPPORTED(cuKernelGetAttribute)
NOT_SUPPORTED(cuKernelGetFunction)
NOT_SUPPORTED(cuLaunchKernel)
NOT_SUPPORTED(cuLaunchKernelEx)
NOT_SUPPORTED(cuMemAlloc_v2)
NOT_SUPPORTED(cuMemcpyAsync)
NOT_SUPPORTED(cuMemsetD8Async)
NOT_SUPPORTED(cuOccupancyMaxActiveBlocksPerMultiprocessor)

int cuInit(unsigned flags) {
  return flags ? 1 : kSuccess;
}
int cuDriverGetVersion(int *version) {
  return *version = 13050, kSuccess;
}
int cuDeviceGetCount(int *count) {
  return *count = 1, kSuccess;
}
int cuDeviceGet(int *device, int ordinal) {
  return *device = ordinal, kSuccess;
}
int cuDeviceGetName(char *name, int size, int device) {
  return (void)device, strncpy(name, "none", (size_t)size), kSuccess;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 1;
  return kSuccess;
}
int cuDeviceGetUuid_v2(void *id, int device) {
  return (void)device, memset(id, 0, 16), kSuccess;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  return (void)device, *context = &device_context, kSuccess;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  return (void)device, kSuccess;
}
int cuCtxGetDevice(int *device) {
  return *device = 0, kSuccess;
}
int cuCtxGetCurrent(void **context) {
  return *context = &device_context, kSuccess;
}
int cuCtxSetCurrent(void *context) {
  return (void)context, kSuccess;
}
int cuCtxPushCurrent_v2(void *context) {
  return (void)context, kSuccess;
}
int cuCtxPopCurrent_v2(void **context) {
  return *context = &device_context, kSuccess;
}
int cuMemGetInfo_v2(size_t *available, size_t *total) {
  return *available = *total = 1 << 30, kSuccess;
}
int cuLibraryLoadData(void **library, const void *code, void *names, void **values, unsigned count,
                      void *more, void **more_values, unsigned more_count) {
  static unsigned loaded;
  (void)code, (void)names, (void)values, (void)count;
  (void)more, (void)more_values, (void)more_count;
  return *library = &handles[loaded++ % sizeof handles], kSuccess;
}
int cuLibraryGetKernel(void **kernel, void *library, const char *name) {
  return (void)name, *kernel = library, kSuccess;
}
int cuLibraryUnload(void *library) {
  return (void)library, kSuccess;
}
int cuGetErrorName(int code, const char **text) {
  return (void)code, *text = "CUDA_ERROR_NOT_SUPPORTED", kSuccess;
}
int cuGetErrorString(int code, const char **text) {
  return (void)code, *text = "there is no device", kSuccess;
}
int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long flags,
                        int *found) {
  (void)version, (void)flags;
  *function = dlsym(RTLD_DEFAULT, name);
  if (!*function) {
    void *self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    char newer[128] = "";
    *function = self ? dlsym(self, name) : 0;
    if (self && !*function && strlen(name) < 120)
      *function = dlsym(self, strcat(strcpy(newer, name), "_v2"));
  }
  if (found)
    *found = *function ? 0 : 1;
  return *function ? kSuccess : kNotFound;
}
int cuGetProcAddress(const char *name, void **function, int version, unsigned long flags) {
  return cuGetProcAddress_v2(name, function, version, flags, 0);
}
int cuGetExportTable(const void **table, const void *id) {
  return (void)id, *table = 0, kNotFound;
}
