#pragma once

#include <chrono>

#include "base/system/file_descriptor.h"

namespace inferd::base {

// Lets other threads end one thread's wait. Thread-safe.
class WakeEvent final {
 public:
  WakeEvent();

  // Ends the current wait, or else the next one. Several calls before a wait count as one.
  void Wake() const;
  // Waits until Wake(), until `timeout` passes, or until `descriptor` is readable. Returns true unless `descriptor` is
  // readable.
  bool Await(int descriptor, std::chrono::milliseconds timeout) const;

 private:
  const FileDescriptor event_;  // an eventfd
};

}  // namespace inferd::base
