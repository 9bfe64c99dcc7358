#include "engines/kit/compute_threads.h"

#include <cstdint>
#include <system_error>

namespace inferd::kit {

namespace {

constexpr uint64_t kSmallModelBytes = 1 << 20;

uint64_t BytesOf(const std::filesystem::path& model) {
  std::error_code error;
  if (!std::filesystem::is_directory(model, error)) {
    const uint64_t bytes = std::filesystem::file_size(model, error);
    return error ? 0 : bytes;
  }
  uint64_t bytes = 0;
  for (std::filesystem::recursive_directory_iterator it(model, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) bytes += it->file_size(ignored);
  }
  return bytes;
}

}  // namespace

int ComputeThreads(const inferd_load& load, const std::filesystem::path& model) {
  return BytesOf(model) < kSmallModelBytes ? 1 : load.cpu_threads;
}

}  // namespace inferd::kit
