#include "net/secret.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

namespace inferd::net {

SecretDigest::SecretDigest(std::string_view secret) {
  static_assert(sizeof(bytes_) == SHA256_DIGEST_LENGTH);
  SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), bytes_.data());
}

bool SecretDigest::Matches(const SecretDigest& other) const {
  return CRYPTO_memcmp(bytes_.data(), other.bytes_.data(), bytes_.size()) == 0;
}

}  // namespace inferd::net
