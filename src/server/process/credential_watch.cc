#include "server/process/credential_watch.h"

#include <sys/stat.h>

namespace inferd::server {

namespace {

// Returns a fingerprint of the file. Empty if it cannot be read.
std::string Look(const std::string& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return {};
  return std::to_string(found.st_ino) + ' ' + std::to_string(found.st_size) + ' ' +
         std::to_string(found.st_ctim.tv_sec) + '.' + std::to_string(found.st_ctim.tv_nsec);
}

}  // namespace

CredentialWatch::CredentialWatch(const config::ServerOptions& options) {
  for (const config::ListenerOptions* listener : {&options.http, &options.grpc, &options.metrics}) {
    for (const std::string* path :
         {&listener->tls.certificate_file, &listener->tls.key_file, &listener->tls.client_ca_file}) {
      if (!path->empty()) files_.push_back({*path, Look(*path)});
    }
  }
  for (const config::TokenRule& rule : options.access.token_rules) files_.push_back({rule.file, Look(rule.file)});
}

bool CredentialWatch::Changed() {
  bool changed = false;
  for (File& file : files_) {
    std::string now = Look(file.path);
    if (now.empty() || now == file.seen) continue;
    file.seen = std::move(now);
    changed = true;
  }
  return changed;
}

}  // namespace inferd::server
