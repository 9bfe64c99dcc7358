#include "base/text/uuid.h"

#include <cstdint>
#include <cstdio>
#include <random>

namespace inferd::base {

std::string NewUuid() {
  thread_local std::mt19937_64 random{std::random_device{}()};
  const uint64_t high = (random() & ~uint64_t{0xF000}) | 0x4000;
  const uint64_t low = (random() & ~(uint64_t{3} << 62)) | (uint64_t{2} << 62);
  char text[40];
  std::snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx", static_cast<uint32_t>(high >> 32),
                static_cast<uint32_t>(high >> 16) & 0xFFFF, static_cast<uint32_t>(high) & 0xFFFF,
                static_cast<uint32_t>(low >> 48), static_cast<unsigned long long>(low & 0xFFFFFFFFFFFFULL));
  return text;
}

}  // namespace inferd::base
