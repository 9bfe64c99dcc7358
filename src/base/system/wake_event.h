#pragma once

#include <chrono>

#include "base/system/file_descriptor.h"

namespace inferd::base {

// Ends the wait of one thread from others. Thread-safe.
class WakeEvent final {
 public:
  WakeEvent();

  // The wait that is under way ends, or the next one; several before that are one.
  void Wake() const;
  // Until Wake(), the time is over, or `descriptor` has something to be read; whether it has not.
  bool Await(int descriptor, std::chrono::milliseconds timeout) const;

 private:
  const FileDescriptor event_;  // an eventfd
};

}  // namespace inferd::base
