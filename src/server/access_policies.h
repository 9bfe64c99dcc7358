#pragma once

#include <memory>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "config/options/server_options.h"
#include "protocols/access/policy.h"
#include "protocols/access/token_file.h"

namespace inferd::server {

// The operator's rules of access, one policy per transport. `http` counts on HTTP's port and on that of metrics, `grpc`
// for every gRPC call on whatever port. Movable; the policies stay where they are.
class AccessPolicies final {
 public:
  // Reads the files of tokens; the personality says how gRPC names headers and refuses. Errors: a file that cannot be
  // read or has no tokens, a group that two files claim.
  static base::Result<AccessPolicies> Open(const config::ServerOptions& options);

  const access::Policy& http() const { return *http_; }
  const access::Policy& grpc() const { return *grpc_; }

  // One line on which clients may load models, a warning if all may.
  void LogWhoControls(base::Logger& logger) const;

  // A warning about groups that HTTP restricts and gRPC, which answers on HTTP's port as well, leaves open. Empty:
  // none.
  std::string Gap() const;

  // Reads the files of tokens again, each as far as it can be; the first error. Thread-safe beside the policies'
  // checks.
  base::Status Reload();

 private:
  AccessPolicies() = default;

  std::vector<std::shared_ptr<access::TokenFile>> token_files_;
  std::unique_ptr<const access::Policy> http_;
  std::unique_ptr<const access::Policy> grpc_;
};

}  // namespace inferd::server
