/* Stands in for the management library of NVIDIA's driver, with two GPUs that do not exist. nvml_stand_in_fail() names
 * the calls that fail from then on, with spaces between them; energy grows with each call. OLDER: it has no function
 * for energy. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  unsigned gpu, memory;
} utilization;
typedef struct {
  unsigned long long total, free, used;
} memory;

static int gpus[2];
static _Atomic unsigned long long energy = 5000;
static _Atomic(const char*) failing = "";

/* A literal. */
void nvml_stand_in_fail(const char* calls) { atomic_store(&failing, calls); }

static int result(const char* call) { return strstr(atomic_load(&failing), call) != NULL ? 999 : 0; }

static int number(void* gpu) { return gpu == &gpus[1]; }

int nvmlInit_v2(void) { return result("nvmlInit_v2"); }
int nvmlShutdown(void) { return 0; }

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return result(__func__);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** gpu) {
  *gpu = &gpus[index];
  return result(__func__);
}

int nvmlDeviceGetUUID(void* gpu, char* uuid, unsigned size) {
  snprintf(uuid, size, "GPU-fake-%d", number(gpu));
  return result(__func__);
}

int nvmlDeviceGetUtilizationRates(void* gpu, utilization* rates) {
  rates->gpu = number(gpu) ? 75 : 50;
  rates->memory = 1;
  return result(__func__);
}

int nvmlDeviceGetMemoryInfo(void* gpu, memory* info) {
  info->total = 8000000000ull;
  info->used = number(gpu) ? 3000000000ull : 1000000000ull;
  info->free = info->total - info->used;
  return result(__func__);
}

int nvmlDeviceGetPowerUsage(void* gpu, unsigned* milliwatts) {
  *milliwatts = number(gpu) ? 70250 : 60500;
  return result(__func__);
}

int nvmlDeviceGetPowerManagementLimit(void* gpu, unsigned* milliwatts) {
  (void)gpu;
  *milliwatts = 300000;
  return result(__func__);
}

#ifndef OLDER
int nvmlDeviceGetTotalEnergyConsumption(void* gpu, unsigned long long* millijoules) {
  (void)gpu;
  *millijoules = energy += 1000;
  return result(__func__);
}
#endif
