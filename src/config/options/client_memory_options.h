#pragma once

#include <cstdint>
#include <string>

namespace inferd::config {

// The owner of shared memory objects that clients may register: only the server's own user, or any user whose objects
// it can open.
enum class ClientMemoryOwner { kOwn, kAny };

// Shared memory of clients (Triton's extension): inputs are read from it and outputs written to it. Plain data; part of
// ServerOptions.
struct ClientMemoryOptions {
  bool served = false;
  std::string key_prefix = {};  // required prefix of objects' keys; empty for any key
  ClientMemoryOwner owner = ClientMemoryOwner::kOwn;
  uint32_t regions_max = 256;
  uint64_t region_bytes_max = uint64_t{1} << 30;
  uint64_t bytes_max = 0;  // of all regions together; a quarter of memory if 0
};

}  // namespace inferd::config
