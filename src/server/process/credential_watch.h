#pragma once

#include <string>
#include <vector>

#include "config/options/server_options.h"

namespace inferd::server {

// Notices that a TLS file of a listener, or a file of tokens, was replaced or rewritten (also behind a symbolic link,
// as Kubernetes swaps secrets). Not thread-safe.
class CredentialWatch final {
 public:
  explicit CredentialWatch(const config::ServerOptions& options);

  // Whether a file differs from the last look, by inode, size or change time. A file that cannot be looked at has not
  // changed: its replacement is not complete.
  bool Changed();

 private:
  struct File {
    std::string path;
    std::string seen;
  };
  std::vector<File> files_;
};

}  // namespace inferd::server
