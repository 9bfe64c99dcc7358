#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::tracing {

// A file with one JSON array, which is whole after each Flush. Not thread-safe.
class ArrayFile final {
 public:
  // Begins the file anew. UNAVAILABLE: it cannot be written.
  base::Status Open(std::string path);
  bool is_open() const { return static_cast<bool>(file_); }
  uint64_t appended() const { return appended_; }

  // `elements`: at least one, as they stand in the array.
  void Append(std::string_view elements);
  // UNAVAILABLE: it cannot be written; it is closed then.
  base::Status Flush();

 private:
  base::FileDescriptor file_;
  std::string path_;
  uint64_t appended_ = 0;
  size_t end_ = 0;    // where the last bracket stands
  std::string text_;  // that is yet to be written there
};

}  // namespace inferd::tracing
