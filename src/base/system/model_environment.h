#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::base {

// The environment variables of this process that are passed to processes which run models.
// | By default these are all variables except the server's secrets: its own options (INFERD_..., INFERCTL_...), and
// credentials of storages and of the response cache (AWS_..., AZURE_..., GOOGLE_APPLICATION_CREDENTIALS, ...). An
// operator may narrow that to a list of names, separated by commas:
//
//   NAME      that variable, a secret too
//   PREFIX*   the variables whose names begin with PREFIX, without secrets; "*" is the default
//
// Functions here are thread-safe as long as no thread changes the environment.

// True if a variable of that name is one of the server's secrets.
bool IsServerSecret(std::string_view name);

// Returns the value of an engine parameter by its name, or nullopt if there is none. The value outlives the call.
using FindParameter = std::function<std::optional<std::string_view>(const std::string& name)>;

// Returns "NAME=VALUE" of each variable for processes that run the model, according to its parameter
// "operator.environment.MODEL", or else "operator.environment", which applies to all models of an engine. If `model` is
// empty (the process runs several models), only the latter applies. INVALID_ARGUMENT, naming the parameter, if an entry
// is not a name.
Result<std::vector<std::string>> ModelEnvironment(std::string_view model, const FindParameter& find);

}  // namespace inferd::base
