#pragma once

#include <functional>
#include <map>
#include <string>

namespace inferd::config {

// Parameters of all models of an engine, by the engine's and the parameter's name. A model's own `parameters` override
// them.
using EngineParameters = std::map<std::string, std::map<std::string, std::string>, std::less<>>;

}  // namespace inferd::config
