#include "engines/kit/cuda/cuda_driver.h"

#include <dlfcn.h>

namespace inferd::kit {

namespace {

constexpr CudaResult kOutOfMemory = 2;  // CUDA_ERROR_OUT_OF_MEMORY
constexpr CudaResult kNoDevice = 100;   // CUDA_ERROR_NO_DEVICE

std::string VersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Sets function pointers from a library, and remembers the first missing one.
class Symbols final {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <typename Function>
  void Find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* const library_;
  std::string missing_;
};

}  // namespace

base::Result<CudaDriver> CudaDriver::Open(const char* name) {
  const std::string driver_name = "NVIDIA's driver, " + std::string(name) + ", ";
  // Never closed: the driver has threads, and contexts that outlive every model.
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return std::unexpected(
        base::FailedPrecondition(driver_name + "cannot be opened: " + (why == nullptr ? "unknown error" : why)));
  }
  CudaDriver driver;
  CudaResult (*initialize)(unsigned) = nullptr;
  CudaResult (*get_version)(int*) = nullptr;
  CudaResult (*get_count)(int*) = nullptr;
  Symbols symbols(library);
  symbols.Find("cuInit", initialize);
  symbols.Find("cuDriverGetVersion", get_version);
  symbols.Find("cuDeviceGetCount", get_count);
  symbols.Find("cuDevicePrimaryCtxRetain", driver.retain_context);
  symbols.Find("cuCtxPushCurrent_v2", driver.push_context);
  symbols.Find("cuCtxPopCurrent_v2", driver.pop_context);
  symbols.Find("cuThreadExchangeStreamCaptureMode", driver.exchange_capture_mode);
  symbols.Find("cuMemAlloc_v2", driver.allocate);
  symbols.Find("cuMemFree_v2", driver.release);
  symbols.Find("cuMemHostAlloc", driver.allocate_pinned);
  symbols.Find("cuMemFreeHost", driver.release_pinned);
  symbols.Find("cuStreamCreate", driver.create_stream);
  symbols.Find("cuStreamSynchronize", driver.await_stream);
  symbols.Find("cuMemcpyAsync", driver.copy);
  symbols.Find("cuMemcpyPeerAsync", driver.copy_to_peer);
  symbols.Find("cuIpcOpenMemHandle_v2", driver.open_handle);
  symbols.Find("cuIpcCloseMemHandle", driver.close_handle);
  symbols.Find("cuMemGetAddressRange_v2", driver.find_range);
  symbols.Find("cuGetErrorString", driver.describe);
  if (!symbols.missing().empty()) {
    return std::unexpected(base::FailedPrecondition(driver_name + "has no function " + symbols.missing()));
  }
  const CudaResult version_result = get_version(&driver.version);
  if (version_result == 0 && driver.version < kOldestVersion) {
    return std::unexpected(base::FailedPrecondition(driver_name + "is too old: it serves CUDA " +
                                                    VersionText(driver.version) + ", and " +
                                                    VersionText(kOldestVersion) + " is needed"));
  }
  CudaResult result = initialize(0);
  if (result == 0) result = get_count(&driver.device_count);
  if (result == kNoDevice || (result == 0 && driver.device_count <= 0)) {
    return std::unexpected(base::FailedPrecondition(driver_name + "finds no GPU"));
  }
  if (result == 0) return driver;
  return std::unexpected(
      base::FailedPrecondition(driver_name + "does not start: " + driver.ToStatus(result, "cuInit").message()));
}

base::Status CudaDriver::ToStatus(CudaResult result, const char* what) const {
  if (result == 0) return base::OkStatus();
  const char* text = nullptr;
  if (describe(result, &text) != 0 || text == nullptr) text = "an error that the driver has no text for";
  const std::string message = std::string(what) + ": " + text + " (CUDA error " + std::to_string(result) + ")";
  return result == kOutOfMemory ? base::ResourceExhausted(message) : base::Internal(message);
}

}  // namespace inferd::kit
