#pragma once

#include <string>

namespace inferd::net {

// A certificate, perhaps followed by its chain, and its private key: PEM, in memory. The key is a secret.
struct PemPair {
  std::string certificate;
  std::string key;

  bool operator==(const PemPair&) const = default;
};

}  // namespace inferd::net
