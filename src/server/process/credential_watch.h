#pragma once

#include <string>
#include <vector>

#include "config/options/server_options.h"

namespace inferd::server {

// Detects that a listener's TLS file or a token file was replaced or rewritten, also behind a symbolic link, as
// Kubernetes replaces secrets. Not thread-safe.
class CredentialWatch final {
 public:
  explicit CredentialWatch(const config::ServerOptions& options);

  // Returns true if a file has changed since the last call, by its inode, size or change time. A file that cannot be
  // read counts as unchanged: its replacement is not complete yet.
  bool Changed();

 private:
  struct File {
    std::string path;
    std::string seen;
  };
  std::vector<File> files_;
};

}  // namespace inferd::server
