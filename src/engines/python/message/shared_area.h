#pragma once

#include <cstddef>
#include <span>

#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::python {

// Memory that the engine and one worker see, for the tensors of a message in one direction. It grows, and never
// shrinks: the worker cannot take pages away under the engine. Not thread-safe.
class SharedArea final {
 public:
  static constexpr size_t kBytesMax = size_t{1} << 40;

  // RESOURCE_EXHAUSTED: the system has none.
  static base::Result<SharedArea> Create(const char* name);
  ~SharedArea();
  SharedArea(SharedArea&& other) noexcept;
  SharedArea& operator=(SharedArea&&) = delete;

  // What the worker gets.
  int descriptor() const { return file_.get(); }

  // All of it, at least `bytes`, to be written to: it is made larger if it has to be. RESOURCE_EXHAUSTED: there is no
  // memory.
  base::Result<std::span<std::byte>> Reserve(size_t bytes);
  // Its first `bytes`, which the worker says that it has made it. INTERNAL: it has not.
  base::Result<std::span<const std::byte>> Look(size_t bytes);
  // All that there is of it.
  base::Result<std::span<const std::byte>> LookAll();

 private:
  explicit SharedArea(base::FileDescriptor file) : file_(std::move(file)) {}
  base::Status Map(size_t bytes);

  base::FileDescriptor file_;
  std::byte* data_ = nullptr;
  size_t mapped_ = 0;
};

}  // namespace inferd::python
