#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "net/client/http_client.h"

namespace inferd::agent {

// Calls that load and unload models of the component, by V2's repository extension. Not thread-safe.
class ModelCalls final {
 public:
  explicit ModelCalls(uint16_t component_port);

  // UNAVAILABLE: the component does not answer, or says 503; FAILED_PRECONDITION: what else it answers.
  base::Status Load(const std::string& name) { return Call(name, "load"); }
  base::Status Unload(const std::string& name) { return Call(name, "unload"); }

 private:
  base::Status Call(const std::string& name, const std::string& what);

  const std::unique_ptr<net::HttpClient> client_;
};

}  // namespace inferd::agent
