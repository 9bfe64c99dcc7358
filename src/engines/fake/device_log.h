#pragma once

#include "inferd/engine_abi.h"

namespace inferd::fake {

// What the host has the devices do, a line of JSON each, appended to the file that the variable FAKE_ENGINE_DEVICE_LOG
// names: {"copy":"CPU to GPU 0","bytes":64}, or, of pinned memory, {"copy":"pinned to GPU 0","bytes":64}. Without the
// variable, nothing. Thread-safe.
class DeviceLog final {
 public:
  static const DeviceLog& Get();

  void Copied(const inferd_memory& from, const inferd_memory& to) const;

 private:
  DeviceLog();

  int descriptor_ = -1;
};

}  // namespace inferd::fake
