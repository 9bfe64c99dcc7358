#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "net/secret.h"

namespace inferd::access {

// The bearer tokens of a file: one per line; "#" begins a comment line. Tokens have the characters of RFC 6750, 2.1.
// Only digests are kept, and no message quotes a token. Thread-safe.
class TokenFile final {
 public:
  static constexpr size_t kFileBytesMax = 1 << 20;
  static constexpr size_t kTokensMax = 1'000;

  // NOT_FOUND if the file cannot be read. INVALID_ARGUMENT with the line, or if it has no token, which would lock out
  // all clients.
  static base::Result<std::unique_ptr<TokenFile>> Open(std::string path);

  const std::string& path() const { return path_; }

  // Reads the file again. After an error the tokens are unchanged.
  base::Status Reload();

  bool Has(std::string_view token) const;

 private:
  using Tokens = std::vector<net::SecretDigest>;
  explicit TokenFile(std::string path) : path_(std::move(path)) {}
  static base::Result<Tokens> Read(const std::string& path);

  const std::string path_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const Tokens> tokens_ GUARDED_BY(mutex_);
};

}  // namespace inferd::access
