#pragma once

#include <memory>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "config/options/server_options.h"
#include "protocols/access/policy.h"
#include "protocols/access/token_file.h"

namespace inferd::server {

// The operator's access rules, one policy per transport. `http` applies to the ports of HTTP and of metrics, `grpc` to
// every gRPC call on any port. Movable; the policies keep their addresses.
class AccessPolicies final {
 public:
  // Reads the token files. The personality defines how gRPC names headers and refuses calls. Returns an error if a file
  // cannot be read or has no tokens, or if two files claim the same group.
  static base::Result<AccessPolicies> Open(const config::ServerOptions& options);

  const access::Policy& http() const { return *http_; }
  const access::Policy& grpc() const { return *grpc_; }

  // Logs one line about the clients that may load models. It is a warning if all may.
  void LogWhoControls(base::Logger& logger) const;

  // Returns a warning about groups that are restricted for HTTP but open for gRPC, which is served on HTTP's port as
  // well. Empty if there are none.
  std::string Gap() const;

  // Reads all token files again, and returns the first error. A file with an error keeps its old tokens. May run while
  // other threads check the policies.
  base::Status Reload();

 private:
  AccessPolicies() = default;

  std::vector<std::shared_ptr<access::TokenFile>> token_files_;
  std::unique_ptr<const access::Policy> http_;
  std::unique_ptr<const access::Policy> grpc_;
};

}  // namespace inferd::server
