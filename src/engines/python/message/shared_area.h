#pragma once

#include <cstddef>
#include <span>

#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::python {

// Memory that the engine and one worker share, for the tensors in one direction. It grows and never shrinks: the worker
// cannot take pages away from the engine. Not thread-safe.
class SharedArea final {
 public:
  static constexpr size_t kBytesMax = size_t{1} << 40;

  // RESOURCE_EXHAUSTED if the system has no memory.
  static base::Result<SharedArea> Create(const char* name);
  ~SharedArea();
  SharedArea(SharedArea&& other) noexcept;
  SharedArea& operator=(SharedArea&&) = delete;

  // The descriptor for the worker.
  int descriptor() const { return file_.get(); }

  // Returns the whole area for writing. Enlarges it to at least `bytes`. RESOURCE_EXHAUSTED if there is no memory.
  base::Result<std::span<std::byte>> Reserve(size_t bytes);
  // Returns the first `bytes`, which the worker claims to have allocated. INTERNAL if it has not.
  base::Result<std::span<const std::byte>> Look(size_t bytes);
  // Returns the whole area.
  base::Result<std::span<const std::byte>> LookAll();

 private:
  explicit SharedArea(base::FileDescriptor file) : file_(std::move(file)) {}
  base::Status Map(size_t bytes);

  base::FileDescriptor file_;
  std::byte* data_ = nullptr;
  size_t mapped_ = 0;
};

}  // namespace inferd::python
