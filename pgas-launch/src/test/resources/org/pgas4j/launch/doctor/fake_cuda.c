/*
 * A driver for tests. INIT is what cuInit returns; with 0 there are two devices of 80 GiB that do not reach each other,
 * and every other call fails. VERSION is that of the driver.
 */
#include <string.h>

int cuInit(unsigned flags) { (void)flags; return INIT; }
int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuDeviceGetCount(int *count) { *count = 2; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetName(char *name, int length, int device)
{
    (void)device;
    strncpy(name, "Fake GPU", length);
    return 0;
}
int cuDeviceTotalMem_v2(unsigned long *bytes, int device) { (void)device; *bytes = 80ul << 30; return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == 75 ? 9 : 0; /* compute capability 9.0 */
    return 0;
}
int cuDeviceCanAccessPeer(int *can, int device, int peer) { *can = device == peer; return 0; }

#define F(name) int name(void) { return 999; }
F(cuCtxEnablePeerAccess) F(cuCtxGetCurrent) F(cuCtxSetCurrent) F(cuDevicePrimaryCtxRelease_v2)
F(cuDevicePrimaryCtxRetain) F(cuEventCreate) F(cuEventDestroy_v2) F(cuEventElapsedTime) F(cuEventQuery)
F(cuEventRecord) F(cuIpcCloseMemHandle) F(cuIpcGetMemHandle) F(cuIpcOpenMemHandle_v2)
F(cuLaunchCooperativeKernel) F(cuLaunchKernel) F(cuMemAlloc_v2) F(cuMemFree_v2) F(cuMemFreeHost)
F(cuMemGetAddressRange_v2) F(cuMemGetInfo_v2) F(cuMemHostAlloc) F(cuMemHostRegister_v2) F(cuMemHostUnregister) F(cuMemcpyDtoDAsync_v2)
F(cuMemcpyDtoHAsync_v2) F(cuMemcpyHtoDAsync_v2) F(cuMemsetD8Async) F(cuModuleGetFunction)
F(cuModuleLoadDataEx) F(cuModuleUnload) F(cuOccupancyMaxActiveBlocksPerMultiprocessor) F(cuStreamCreate)
F(cuGraphDestroy) F(cuGraphExecDestroy) F(cuGraphInstantiateWithFlags) F(cuGraphLaunch) F(cuGraphUpload)
F(cuStreamBeginCapture_v2) F(cuStreamEndCapture) F(cuStreamDestroy_v2) F(cuStreamQuery) F(cuStreamWaitEvent) F(cuStreamWaitValue64_v2)
F(cuStreamWriteValue32_v2) F(cuStreamWriteValue64_v2)
F(cuCtxGetDevice) F(cuFuncGetAttribute) F(cuFuncSetAttribute) F(cuLaunchKernelEx) F(cuStreamGetCtx)
F(cuCtxGetStreamPriorityRange) F(cuStreamCreateWithPriority)
