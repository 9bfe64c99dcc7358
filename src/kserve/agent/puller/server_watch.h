#pragma once

#include <optional>
#include <set>
#include <string>

#include "kserve/modelcalls/model_calls.h"

namespace inferd::agent {

// The models that a model server reports.
struct ServerModels {
  bool known = false;           // the server has answered
  std::set<std::string> ready;  // used if `all` is not set
  std::optional<bool> all;      // true if it has all models; set if a server without an index was asked for one

  bool Has(const std::string& name) const { return all.value_or(false) || ready.contains(name); }
};

// Asks the server for its V2 repository index. If it has none, asks only whether the server has `sample`. `known` is
// false if the server does not answer now.
ServerModels AskForModels(modelcalls::ModelCalls& calls, const std::string& sample);

}  // namespace inferd::agent
