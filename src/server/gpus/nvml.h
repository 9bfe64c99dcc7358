#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::server {

// The values of a GPU. Nullopt if the driver does not report the value for this GPU.
struct GpuFigures {
  std::optional<double> utilization;   // 0 to 1
  std::optional<double> memory_total;  // bytes
  std::optional<double> memory_used;   // bytes
  std::optional<double> power_usage;   // watts
  std::optional<double> power_limit;   // watts
  std::optional<double> energy;        // joules, since the driver was loaded
};

// NVIDIA's management library, a part of the driver. It is opened at run time, so that machines without a GPU do not
// need it. Not thread-safe; calls may block in the driver.
class Nvml final {
 public:
  static constexpr const char* kLibrary = "libnvidia-ml.so.1";
  static constexpr unsigned kGpusMax = 256;

  // Opens the library. NOT_FOUND if it does not exist. UNAVAILABLE if it cannot be initialized, or lacks the functions
  // that count and identify GPUs.
  static base::Result<std::unique_ptr<Nvml>> Open(const std::string& library = kLibrary);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // Returns the identifiers of the GPUs, "GPU-8a2c...". GPUs that cannot be accessed are left out.
  const std::vector<std::string>& uuids() const { return uuids_; }
  // Reads the values of the GPU with that index in uuids().
  GpuFigures Read(size_t gpu) const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<const Functions> functions);
  base::Status FindGpus();

  std::unique_ptr<const Functions> functions_;
  std::vector<void*> gpus_;
  std::vector<std::string> uuids_;
};

}  // namespace inferd::server
