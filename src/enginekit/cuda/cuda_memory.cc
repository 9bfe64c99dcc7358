#include "enginekit/cuda/cuda_memory.h"

#include <cstring>
#include <utility>

namespace inferd::enginekit {

namespace {

// Set by OpenCudaMemory, and never destroyed: the server's buffers point to the table.
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

int32_t Copy(const inferd_memory* from, const inferd_memory* to, inferd_error* error) {
  const base::Status status = TheOpened().devices->Copy(*from, *to);
  if (!status.ok()) {
    TheOpened().host->set_error(error, static_cast<int32_t>(status.code()),
                                {status.message().data(), status.message().size()});
  }
  return static_cast<int32_t>(status.code());
}

int32_t OpenHandle(int32_t device, const void* handle, inferd_memory* memory, inferd_error* error) {
  CudaHandle copied;
  static_assert(sizeof(copied) == INFERD_HANDLE_BYTES);
  std::memcpy(&copied, handle, sizeof(copied));
  auto opened = TheOpened().devices->OpenHandle(device, copied);
  if (opened.has_value()) {
    *memory = *opened;
    return INFERD_OK;
  }
  const base::Status& status = opened.error();
  TheOpened().host->set_error(error, static_cast<int32_t>(status.code()),
                              {status.message().data(), status.message().size()});
  return static_cast<int32_t>(status.code());
}

void CloseHandle(const inferd_memory* memory) { TheOpened().devices->CloseHandle(*memory); }

// In place of Allocate, where there is no device.
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
  opened.table = {.struct_size = sizeof(inferd_device_memory),
                  .device_count = opened.devices == nullptr ? 0 : opened.devices->count(),
                  .allocate = opened.devices == nullptr ? AllocateNothing : Allocate,
                  .release = Release,
                  .copy = Copy,
                  .preferred = 1,
                  .open_handle = opened.devices == nullptr ? nullptr : OpenHandle,
                  .close_handle = opened.devices == nullptr ? nullptr : CloseHandle,
                  .why_none = opened.devices == nullptr ? opened.why_none.c_str() : nullptr};
}

const inferd_device_memory* CudaMemory() { return &TheOpened().table; }

CudaDevices* FindCudaDevices() { return TheOpened().devices; }

}  // namespace inferd::enginekit
