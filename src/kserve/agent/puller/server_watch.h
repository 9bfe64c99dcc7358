#pragma once

#include <optional>
#include <set>
#include <string>

#include "kserve/modelcalls/model_calls.h"

namespace inferd::agent {

// What a model server says of the models that it has.
struct ServerModels {
  bool known = false;           // it has answered
  std::set<std::string> ready;  // where `all` is not set
  std::optional<bool> all;      // whether it has all of them: a server without an index was asked for one alone

  bool Has(const std::string& name) const { return all.value_or(false) || ready.contains(name); }
};

// Asks it: by V2's repository index or, where it has none, whether it has `sample`. A server that does not answer, or
// does not now, says nothing.
ServerModels AskForModels(modelcalls::ModelCalls& calls, const std::string& sample);

}  // namespace inferd::agent
