#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::modelcalls {

// The names of the models that an answer of V2's repository index says are ready: [{"name": "m", "version": "1",
// "state": "READY"}]. One without a state counts as ready: only those were asked for. INVALID_ARGUMENT: it is none.
base::Result<std::set<std::string>> ParseModelIndex(std::string_view json);

}  // namespace inferd::modelcalls
