#pragma once

#include "inferd/engine_abi.h"

namespace inferd::fake {

// Logs the host's device operations, one line of JSON each, to the file in the variable FAKE_ENGINE_DEVICE_LOG:
// {"copy":"CPU to GPU 0","bytes":64}, or for pinned memory {"copy":"pinned to GPU 0","bytes":64}. Without the variable
// it logs nothing. Thread-safe.
class DeviceLog final {
 public:
  static const DeviceLog& Get();

  void Copied(const inferd_memory& from, const inferd_memory& to) const;

 private:
  DeviceLog();

  int descriptor_ = -1;
};

}  // namespace inferd::fake
