#include "serving/cache/entry_seal.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace inferd::cache {

namespace {

XXH128_canonical_t ChecksumOf(std::string_view entry) {
  XXH128_canonical_t checksum;
  XXH128_canonicalFromHash(&checksum, XXH3_128bits(entry.data(), entry.size()));
  return checksum;
}

}  // namespace

void Seal(std::string& entry) {
  const XXH128_canonical_t checksum = ChecksumOf(entry);
  entry.append(reinterpret_cast<const char*>(checksum.digest), sizeof checksum.digest);
}

std::optional<std::string_view> Unseal(std::string_view sealed) {
  constexpr size_t kBytes = sizeof XXH128_canonical_t::digest;
  if (sealed.size() < kBytes) return std::nullopt;
  const std::string_view entry = sealed.substr(0, sealed.size() - kBytes);
  const XXH128_canonical_t checksum = ChecksumOf(entry);
  if (std::memcmp(checksum.digest, sealed.data() + entry.size(), kBytes) != 0) return std::nullopt;
  return entry;
}

}  // namespace inferd::cache
