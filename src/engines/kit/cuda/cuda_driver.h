#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"

namespace inferd::kit {

// The types of NVIDIA's driver, as in cuda.h.
using CudaResult = int;  // 0 if it succeeded
using CudaContext = void*;
using CudaStream = void*;
using CudaAddress = unsigned long long;

// The handle of another process's memory: cudaIpcMemHandle_t.
struct CudaHandle {
  char bytes[64];
};

// The functions of NVIDIA's driver, libcuda.so.1, that are called. It is opened on demand: nothing of CUDA is needed to
// build and to start. The functions are thread-safe, and belong to the whole process.
struct CudaDriver {
  // FAILED_PRECONDITION if the library is missing, is older than kOldestVersion, or finds no GPU; the message says
  // which.
  static base::Result<CudaDriver> Open(const char* library = "libcuda.so.1");

  static constexpr int kOldestVersion = 11000;  // CUDA's version times 1000: 11.0

  // Returns "out of memory" or similar, with the failed action.
  base::Status ToStatus(CudaResult result, const char* what) const;

  int device_count = 0;
  int version = 0;  // the newest CUDA version that it supports: 13000

  // The context that CUDA's runtime uses, too
  CudaResult (*retain_context)(CudaContext* context, int device) = nullptr;
  CudaResult (*push_context)(CudaContext context) = nullptr;  // for the calling thread
  CudaResult (*pop_context)(CudaContext* context) = nullptr;
  CudaResult (*exchange_capture_mode)(int* mode) = nullptr;  // likewise
  CudaResult (*allocate)(CudaAddress* address, size_t bytes) = nullptr;
  CudaResult (*release)(CudaAddress address) = nullptr;
  CudaResult (*allocate_pinned)(void** data, size_t bytes, unsigned flags) = nullptr;
  CudaResult (*release_pinned)(void* data) = nullptr;
  CudaResult (*create_stream)(CudaStream* stream, unsigned flags) = nullptr;
  CudaResult (*await_stream)(CudaStream stream) = nullptr;
  CudaResult (*copy)(CudaAddress to, CudaAddress from, size_t bytes, CudaStream stream) = nullptr;
  CudaResult (*copy_to_peer)(CudaAddress to, CudaContext to_context, CudaAddress from, CudaContext from_context,
                             size_t bytes, CudaStream stream) = nullptr;
  CudaResult (*open_handle)(CudaAddress* address, CudaHandle handle, unsigned flags) = nullptr;
  CudaResult (*close_handle)(CudaAddress address) = nullptr;
  CudaResult (*find_range)(CudaAddress* base, size_t* bytes, CudaAddress address) = nullptr;  // of an allocation
  CudaResult (*describe)(CudaResult result, const char** text) = nullptr;
};

}  // namespace inferd::kit
