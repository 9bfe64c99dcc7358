#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "base/status.h"
#include "net/client/http_client.h"

namespace inferd::modelcalls {

// Loads, unloads and lists the models of a model server, by V2's repository extension. Not thread-safe.
class ModelCalls final {
 public:
  // `address`: the server's, "127.0.0.1:8080" or "unix:PATH". `timeout`: of each call.
  ModelCalls(const std::string& address, std::chrono::milliseconds timeout);

  // UNAVAILABLE: the server does not answer, or answers 503. FAILED_PRECONDITION: it answers anything else but 2xx.
  base::Status Load(const std::string& name) { return Call(name, "load"); }
  base::Status Unload(const std::string& name) { return Call(name, "unload"); }

  // Returns the names of the models that are ready. UNAVAILABLE: as above. UNIMPLEMENTED: the server has no index.
  base::Result<std::set<std::string>> ListReady();
  // Returns true if this model is ready. UNAVAILABLE: the server does not answer.
  base::Result<bool> IsReady(const std::string& name);

 private:
  base::Status Call(const std::string& name, const std::string& what);

  const std::unique_ptr<net::HttpClient> client_;
};

}  // namespace inferd::modelcalls
