#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::server {

// What one GPU says of itself. Without a value: the driver does not say it of this GPU.
struct GpuFigures {
  std::optional<double> utilization;   // 0 to 1
  std::optional<double> memory_total;  // bytes
  std::optional<double> memory_used;   // bytes
  std::optional<double> power_usage;   // watts
  std::optional<double> power_limit;   // watts
  std::optional<double> energy;        // joules, since the driver was loaded
};

// NVIDIA's management library, which comes with the driver: opened when it is asked for, so that nothing of it is
// needed where there is no GPU. Not thread-safe; calls may wait for the driver.
class Nvml final {
 public:
  static constexpr const char* kLibrary = "libnvidia-ml.so.1";
  static constexpr unsigned kGpusMax = 256;

  // NOT_FOUND: there is no such library. UNAVAILABLE: it does not start, or lacks what counts and names GPUs.
  static base::Result<std::unique_ptr<Nvml>> Open(const std::string& library = kLibrary);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // Of each GPU, "GPU-8a2c..."; those that cannot be asked are left out.
  const std::vector<std::string>& uuids() const { return uuids_; }
  // Of the GPU that has that place among the uuids.
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
