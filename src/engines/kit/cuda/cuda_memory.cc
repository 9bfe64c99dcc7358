#include "engines/kit/cuda/cuda_memory.h"

#include <cstring>
#include <memory>
#include <utility>

#include "engines/kit/engine_table.h"

namespace inferd::kit {

namespace {

// Set by OpenCudaMemory(), and never destroyed: the server's buffers point to the table.
struct Opened {
  const inferd_host* host = nullptr;
  CudaDevices* devices = nullptr;
  std::string why_none;
  inferd_device_memory table = {};
};

Opened& TheOpened() {
  static auto* const opened = new Opened();
  return *opened;
}

void* Allocate(int32_t kind, int32_t device, size_t size) {
  const auto data = TheOpened().devices->Allocate(kind, device, size);
  return data.has_value() ? *data : nullptr;
}

void Release(int32_t kind, int32_t device, void* data, size_t /*size*/) {
  TheOpened().devices->Release(kind, device, data);
}

int32_t Tell(const base::Status& status, inferd_error* error) {
  return status.ok() ? INFERD_OK : SetError(TheOpened().host, error, status);
}

int32_t Copy(const inferd_memory* from, const inferd_memory* to, inferd_error* error) {
  return Tell(TheOpened().devices->Copy(*from, *to), error);
}

// The table's inferd_copy_queue.
struct Queue {
  const int32_t device;
  const CudaStream stream;
};

int32_t OpenQueue(int32_t device, inferd_copy_queue** queue, inferd_error* error) {
  const auto stream = TheOpened().devices->TakeStream(device);
  if (!stream.has_value()) return Tell(stream.error(), error);
  *queue = reinterpret_cast<inferd_copy_queue*>(new Queue{device, *stream});
  return INFERD_OK;
}

void CloseQueue(inferd_copy_queue* opened) {
  const std::unique_ptr<Queue> queue(reinterpret_cast<Queue*>(opened));
  TheOpened().devices->ReturnStream(queue->device, queue->stream);
}

int32_t StartCopy(inferd_copy_queue* opened, const inferd_memory* from, const inferd_memory* to, inferd_error* error) {
  const Queue& queue = *reinterpret_cast<Queue*>(opened);
  return Tell(TheOpened().devices->StartCopy(queue.device, queue.stream, *from, *to), error);
}

int32_t AwaitCopies(inferd_copy_queue* opened, inferd_error* error) {
  const Queue& queue = *reinterpret_cast<Queue*>(opened);
  return Tell(TheOpened().devices->AwaitCopies(queue.device, queue.stream), error);
}

int32_t OpenHandle(int32_t device, const void* handle, inferd_memory* memory, inferd_error* error) {
  CudaHandle copied;
  static_assert(sizeof(copied) == INFERD_HANDLE_BYTES);
  std::memcpy(&copied, handle, sizeof(copied));
  auto opened = TheOpened().devices->OpenHandle(device, copied);
  if (!opened.has_value()) return Tell(opened.error(), error);
  *memory = *opened;
  return INFERD_OK;
}

void CloseHandle(const inferd_memory* memory) { TheOpened().devices->CloseHandle(*memory); }

// Replaces Allocate if there is no device.
void* AllocateNothing(int32_t /*kind*/, int32_t /*device*/, size_t /*size*/) { return nullptr; }

}  // namespace

void OpenCudaMemory(const inferd_host* host, std::string why_none) {
  Opened& opened = TheOpened();
  if (opened.host != nullptr) return;
  opened.host = host;
  if (why_none.empty()) {
    const auto driver = CudaDriver::Open();
    if (driver.has_value()) {
      opened.devices = new CudaDevices(*driver);
    } else {
      why_none = driver.error().message();
    }
  }
  opened.why_none = std::move(why_none);
  const bool any = opened.devices != nullptr;
  opened.table = {.struct_size = sizeof(inferd_device_memory),
                  .device_count = any ? opened.devices->count() : 0,
                  .allocate = any ? Allocate : AllocateNothing,
                  .release = Release,
                  .copy = Copy,
                  .preferred = 1,
                  .open_handle = any ? OpenHandle : nullptr,
                  .close_handle = any ? CloseHandle : nullptr,
                  .why_none = any ? nullptr : opened.why_none.c_str(),
                  .open_queue = any ? OpenQueue : nullptr,
                  .close_queue = any ? CloseQueue : nullptr,
                  .start_copy = any ? StartCopy : nullptr,
                  .await_copies = any ? AwaitCopies : nullptr};
}

const inferd_device_memory* CudaMemory() { return &TheOpened().table; }

CudaDevices* FindCudaDevices() { return TheOpened().devices; }

}  // namespace inferd::kit
