#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "base/status.h"
#include "kserve/agent/puller/component.h"
#include "net/client/http_client.h"

namespace inferd::agent {

// Calls that load and unload models of the component, and ask for them, by V2's repository extension. Not thread-safe.
class ModelCalls final {
 public:
  // `timeout`: of each call.
  ModelCalls(const Component& component, std::chrono::milliseconds timeout);

  // UNAVAILABLE: the component does not answer, or says 503; FAILED_PRECONDITION: what else it answers.
  base::Status Load(const std::string& name) { return Call(name, "load"); }
  base::Status Unload(const std::string& name) { return Call(name, "unload"); }

  // The models that are ready. UNAVAILABLE as above; UNIMPLEMENTED: it has no index of models.
  base::Result<std::set<std::string>> ListReady();
  // Whether this one is. UNAVAILABLE: the component does not answer.
  base::Result<bool> IsReady(const std::string& name);

 private:
  base::Status Call(const std::string& name, const std::string& what);

  const std::unique_ptr<net::HttpClient> client_;
};

}  // namespace inferd::agent
