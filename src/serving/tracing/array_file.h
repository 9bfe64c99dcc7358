#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::tracing {

// A file with one JSON array, which is complete after each Flush(). Not thread-safe.
class ArrayFile final {
 public:
  // Creates the file, or empties it. UNAVAILABLE if it cannot be written.
  base::Status Open(std::string path);
  bool is_open() const { return static_cast<bool>(file_); }
  uint64_t appended() const { return appended_; }

  // Appends elements, at least one, in the form in which they are in the array.
  void Append(std::string_view elements);
  // Writes them to the file. UNAVAILABLE if that fails; the file is then closed.
  base::Status Flush();

 private:
  base::FileDescriptor file_;
  std::string path_;
  uint64_t appended_ = 0;
  size_t end_ = 0;    // the position of the closing bracket
  std::string text_;  // the text to write there
};

}  // namespace inferd::tracing
