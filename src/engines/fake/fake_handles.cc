#include "engines/fake/fake_handles.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "base/system/file_descriptor.h"

namespace inferd::fake {

namespace {

struct Opened {
  std::byte* bytes = nullptr;
  size_t size = 0;
};

class OpenedMemory final {
 public:
  static OpenedMemory& Get() {
    static auto* const opened = new OpenedMemory();
    return *opened;
  }

  void Add(const std::byte* addresses, Opened opened) {
    const std::lock_guard lock(mutex_);
    opened_[addresses] = opened;
  }

  void Remove(const std::byte* addresses) {
    const std::lock_guard lock(mutex_);
    const auto found = opened_.find(addresses);
    if (found == opened_.end()) return;
    munmap(found->second.bytes, found->second.size);
    munmap(const_cast<std::byte*>(addresses), found->second.size);
    opened_.erase(found);
  }

  std::byte* Reach(const std::byte* data) {
    const std::lock_guard lock(mutex_);
    auto after = opened_.upper_bound(data);
    if (after == opened_.begin()) return nullptr;
    const auto& [addresses, opened] = *--after;
    const auto at = static_cast<size_t>(data - addresses);
    return at < opened.size ? opened.bytes + at : nullptr;
  }

 private:
  std::mutex mutex_;
  std::map<const std::byte*, Opened> opened_;  // by the addresses that represent them
};

}  // namespace

base::Status OpenHandle(int32_t device, const char* handle, inferd_memory& memory) {
  const std::string name(handle, strnlen(handle, INFERD_HANDLE_BYTES));
  const base::FileDescriptor object(shm_open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0));
  struct stat status = {};
  if (!object || fstat(object.get(), &status) != 0 || status.st_size <= 0) {
    return base::InvalidArgument("no process has memory by this handle");
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* const addresses = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (addresses == MAP_FAILED) return base::ResourceExhausted("there is no room for the memory");
  void* const bytes = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, object.get(), 0);
  if (bytes == MAP_FAILED) {
    munmap(addresses, size);
    return base::ResourceExhausted("there is no room for the memory");
  }
  OpenedMemory::Get().Add(static_cast<std::byte*>(addresses), {static_cast<std::byte*>(bytes), size});
  memory = {addresses, size, INFERD_MEMORY_GPU, device};
  return base::OkStatus();
}

void CloseHandle(const inferd_memory& memory) {
  OpenedMemory::Get().Remove(static_cast<const std::byte*>(memory.data));
}

std::byte* ReachOpened(const void* data) { return OpenedMemory::Get().Reach(static_cast<const std::byte*>(data)); }

}  // namespace inferd::fake
