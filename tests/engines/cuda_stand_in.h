#pragma once

#include <cstddef>

// What tests tell the stand-in for NVIDIA's driver, and ask it: the library exports
//
//   CudaStandIn* inferd_cuda_stand_in();
//
// Its environment may say the first three, for programs that open it by themselves: INFERD_STAND_IN_GPUS,
// INFERD_STAND_IN_CUDA_VERSION, INFERD_STAND_IN_GPU_BYTES.
struct CudaStandIn {
  int devices = 2;
  int version = 13000;
  size_t bytes_per_device = size_t{64} << 20;
  size_t pinned_bytes = size_t{64} << 20;  // one allocation's
  int init_result = 0;                     // of cuInit
  int copy_result = 0;                     // of every copy
  int stream_result = 0;                   // of cuStreamCreate
  int await_result = 0;                    // of cuStreamSynchronize

  // Counted: what was allocated and not released, contexts that were pushed and not popped.
  size_t allocations = 0;
  size_t pinned = 0;
  int pushed = 0;
  int relaxed = 0;  // threads in the relaxed capture mode
  int streams = 0;
  int copies = 0;         // that began
  int pinned_copies = 0;  // of these, from or to pinned memory
  int awaited = 0;        // streams were waited for
  int opened = 0;         // handles

  // Where the bytes are that a device's address stands for; `data` itself, if it is none.
  void* (*reach)(const void* data) = nullptr;
};

using CudaStandInFunction = CudaStandIn*();
