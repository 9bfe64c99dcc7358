#pragma once

#include <functional>
#include <map>
#include <string>

namespace inferd::config {

// Parameters of all models of an engine, by the engine's name and theirs. What a model's own `parameters` say counts
// in place of them.
using EngineParameters = std::map<std::string, std::map<std::string, std::string>, std::less<>>;

}  // namespace inferd::config
