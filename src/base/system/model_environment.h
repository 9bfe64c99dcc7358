#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::base {

// The variables of this process's environment that processes which run models get.
//
// By default they get all but the server's secrets: its own options (INFERD_..., INFERCTL_...), and credentials of
// storages and of the response cache (AWS_..., AZURE_..., GOOGLE_APPLICATION_CREDENTIALS, ...). An operator may narrow
// that to a list of names, separated by commas:
//
//   NAME      that variable, a secret too
//   PREFIX*   the variables whose names begin with PREFIX, without secrets; "*" is the default
//
// Functions here are thread-safe as long as no thread changes the environment.

// True if a variable of that name is one of the server's secrets.
bool IsServerSecret(std::string_view name);

// Returns the value of a parameter of the engine by its name; nullopt: there is none. What it returns outlives the
// call.
using FindParameter = std::function<std::optional<std::string_view>(const std::string& name)>;

// Returns "NAME=VALUE" of each variable for processes that run the model, by its parameter
// "operator.environment.MODEL", else by "operator.environment", which all models of an engine have in common.
// `model` empty: for several models, by the latter alone. INVALID_ARGUMENT, with the parameter: an entry is no name.
Result<std::vector<std::string>> ModelEnvironment(std::string_view model, const FindParameter& find);

}  // namespace inferd::base
