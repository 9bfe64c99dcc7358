#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace inferd::net {

// The SHA-256 of a secret, stored in its place. The time of a comparison reveals nothing about the secret, not even its
// length.
class SecretDigest final {
 public:
  explicit SecretDigest(std::string_view secret);
  bool Matches(const SecretDigest& other) const;

 private:
  std::array<unsigned char, 32> bytes_;
};

}  // namespace inferd::net
