#pragma once

#include <cstdint>
#include <string>

namespace inferd::config {

// Whose shared memory objects clients may have the server use: those of the user that it runs as, or any that it may
// open.
enum class ClientMemoryOwner { kOwn, kAny };

// Shared memory of clients (Triton's extension), from which inputs are taken and to which outputs are written. Plain
// data; part of ServerOptions.
struct ClientMemoryOptions {
  bool served = false;
  std::string key_prefix = {};  // what the keys of objects begin with; empty: anything
  ClientMemoryOwner owner = ClientMemoryOwner::kOwn;
  uint32_t regions_max = 256;
  uint64_t region_bytes_max = uint64_t{1} << 30;
  uint64_t bytes_max = 0;  // of all regions together; 0: a quarter of memory
};

}  // namespace inferd::config
