#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace inferd::net {

// SHA-256 of a secret: kept in its place, and compared in a time that tells nothing about it, not even its length.
class SecretDigest final {
 public:
  explicit SecretDigest(std::string_view secret);
  bool Matches(const SecretDigest& other) const;

 private:
  std::array<unsigned char, 32> bytes_;
};

}  // namespace inferd::net
