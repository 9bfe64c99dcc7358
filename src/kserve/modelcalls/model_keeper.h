#pragma once

#include <map>
#include <string>
#include <vector>

#include "kserve/modelcalls/lost_models.h"
#include "kserve/modelcalls/model_calls.h"

namespace inferd::modelcalls {

// Keeps the models of a replica's server loaded: what another process unloads is loaded again. Not thread-safe.
class ModelKeeper final {
 public:
  struct Seen {
    std::vector<std::string> reloaded;  // models that another process unloaded and that are ready again
    std::vector<std::string> failures;  // one line for each model that cannot be loaded again; it is given up
  };

  // `address`: where the server itself takes HTTP, "127.0.0.1:8080".
  explicit ModelKeeper(const std::string& address);

  // Asks the server for its models and loads the lost ones. Takes 2 s for each call at most; a model that loads for
  // longer is reported by a later call. A server that does not answer, or has no index of models, has lost nothing.
  Seen Look();

 private:
  ModelCalls calls_;
  LostModels lost_;
  // By model that loads: how many calls of Look() may follow before it is asked for again.
  std::map<std::string, int> awaited_;
};

}  // namespace inferd::modelcalls
