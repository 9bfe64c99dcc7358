#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>

#include "fuzz/require.h"
#include "protocols/clientshm/registry.h"

namespace inferd::fuzz {

// A registry with one shared memory region "r". No other region can be registered.
class FuzzRegion final {
 public:
  static constexpr size_t kBytes = 256;

  FuzzRegion() : registry_({.key_prefix = Key()}) {
    const int object = shm_open(Key().c_str(), O_RDWR | O_CREAT, 0600);
    Require(object >= 0 && ftruncate(object, kBytes) == 0, "no shared memory");
    Require(registry_.Register({.name = "r", .key = Key(), .offset = 0, .byte_size = kBytes}).ok(), "no region");
    close(object);
    shm_unlink(Key().c_str());
  }

  clientshm::Registry& registry() { return registry_; }
  // Reads the bytes, so that a sanitizer checks them.
  void Touch(std::byte byte) { touched_ = byte; }

 private:
  static std::string Key() { return "/inferd-fuzz-" + std::to_string(getpid()); }

  clientshm::Registry registry_;
  volatile std::byte touched_{};
};

}  // namespace inferd::fuzz
