#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"

namespace inferd::clientshm {

// Mapped memory whose pages another process may take away, by making the object behind it smaller, or of which the
// system has none left when they are first touched. An instruction that touches such a page would end this process
// (SIGBUS). Here it goes on: the page, and all behind it up to the end of the range, become private zeros for good,
// and the range is broken. A system call that touches such a page fails with EFAULT.
//
// The signal's handler is installed with the first range, and passes on what is not about one. Thread-safe; neither
// copied nor moved.
class GuardedRange final {
 public:
  // Whole pages that are mapped for as long as this lives.
  explicit GuardedRange(std::span<std::byte> pages);
  ~GuardedRange();
  GuardedRange(const GuardedRange&) = delete;
  GuardedRange& operator=(const GuardedRange&) = delete;

  // Whether there was a place for it: of kRangesMax there is none left otherwise, and nothing is guarded.
  bool guarded() const { return slot_ != nullptr; }
  // Whether a page was missing when it was touched.
  bool broken() const;

  static constexpr size_t kRangesMax = 8192;

 private:
  struct Slot;
  friend struct GuardedSlots;
  Slot* slot_ = nullptr;
};

}  // namespace inferd::clientshm
