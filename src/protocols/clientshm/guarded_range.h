#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"

namespace inferd::clientshm {

// Mapped memory whose pages may be missing when they are touched: another process can make the object behind it
// smaller, or the system may be out of memory. Touching such a page would kill this process (SIGBUS). Here it
// continues: the page, and all later ones of the range, become private zeros permanently, and the range is broken. A
// system call that touches such a page fails with EFAULT.
//
// The first range installs the signal's handler, which passes on signals that concern no range. Thread-safe. Neither
// copyable nor movable.
class GuardedRange final {
 public:
  // `pages` are whole pages that must stay mapped during this object's life.
  explicit GuardedRange(std::span<std::byte> pages);
  ~GuardedRange();
  GuardedRange(const GuardedRange&) = delete;
  GuardedRange& operator=(const GuardedRange&) = delete;

  // Returns true if the range is guarded. False if kRangesMax ranges are already in use.
  bool guarded() const { return slot_ != nullptr; }
  // Returns true if a touched page was missing.
  bool broken() const;

  static constexpr size_t kRangesMax = 8192;

 private:
  struct Slot;
  friend struct GuardedSlots;
  Slot* slot_ = nullptr;
};

}  // namespace inferd::clientshm
