#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::worker {

// Memory that a server and its worker process both map. It is sealed: the process that gets the descriptor cannot
// resize it, which would cause a SIGBUS here. The kernel allocates pages when they are first written. Move-only;
// immutable except for the descriptor.
class SharedMemory final {
 public:
  static constexpr size_t kPageBytes = 4096;
  static constexpr size_t RoundUp(size_t bytes, size_t unit = kPageBytes) { return (bytes + unit - 1) / unit * unit; }

  // `bytes` must be whole pages. `only_here` is true if no other mapping may ever write. `purpose` is for messages.
  // RESOURCE_EXHAUSTED if the system has no memory.
  static base::Result<SharedMemory> Create(const char* name, std::string_view purpose, size_t bytes, bool only_here);
  // Maps all of the other side's memory, writable if asked. The caller keeps ownership of `descriptor`.
  static base::Result<SharedMemory> Open(int descriptor, std::string_view purpose, bool writable);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})), descriptor_(std::move(other.descriptor_)) {}
  SharedMemory& operator=(SharedMemory&&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  // The descriptor that the other side opens; -1 in memory that was opened, and once it is closed.
  int descriptor() const { return descriptor_.get(); }
  void CloseDescriptor() { descriptor_.Close(); }

 private:
  SharedMemory(std::span<std::byte> bytes, base::FileDescriptor descriptor)
      : bytes_(bytes), descriptor_(std::move(descriptor)) {}
  static base::Result<SharedMemory> Map(int descriptor, std::string_view purpose, size_t bytes, int protection,
                                        base::FileDescriptor kept);

  std::span<std::byte> bytes_;
  base::FileDescriptor descriptor_;
};

}  // namespace inferd::worker
