#include "serving/worker/channel/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace inferd::worker {

namespace {

std::unexpected<base::Status> Refusal(std::string_view purpose, std::string_view what) {
  return std::unexpected(
      base::ResourceExhausted(std::string(purpose) + ": " + std::string(what) + ": " + std::strerror(errno)));
}

}  // namespace

base::Result<SharedMemory> SharedMemory::Map(int descriptor, std::string_view purpose, size_t bytes, int protection,
                                             base::FileDescriptor kept) {
  if (bytes == 0) return SharedMemory({}, std::move(kept));
  void* memory = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (memory == MAP_FAILED) return Refusal(purpose, "mmap");
  return SharedMemory({static_cast<std::byte*>(memory), bytes}, std::move(kept));
}

base::Result<SharedMemory> SharedMemory::Create(const char* name, std::string_view purpose, size_t bytes,
                                                bool only_here) {
  base::FileDescriptor descriptor(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor) return Refusal(purpose, "memfd_create");
  const int file = descriptor.get();
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0) return Refusal(purpose, "size");
  auto memory = Map(file, purpose, bytes, PROT_READ | PROT_WRITE, std::move(descriptor));
  // F_SEAL_FUTURE_WRITE leaves the mapping above writable.
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (only_here ? F_SEAL_FUTURE_WRITE : 0);
  if (memory.has_value() && fcntl(file, F_ADD_SEALS, seals) != 0) return Refusal(purpose, "seals");
  return memory;
}

base::Result<SharedMemory> SharedMemory::Open(int descriptor, std::string_view purpose, bool writable) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return Refusal(purpose, "fstat");
  return Map(descriptor, purpose, static_cast<size_t>(status.st_size), writable ? PROT_READ | PROT_WRITE : PROT_READ,
             {});
}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

}  // namespace inferd::worker
