#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inferd/engine_abi.h"

namespace inferd::python {

// The identity of a model's instances. Two loads of a model with equal `key` differ at most in their instance groups,
// so that an instance of one may take over the worker of an instance of the other, if both are of an equal group.
struct ModelKey {
  std::string key;                  // names the model, its files with their times, and its configuration
  std::vector<std::string> groups;  // per instance group, its settings without its name, count and devices
};

// Reads the key of a load. Returns nullopt if the load's instances share no workers: the host does not ask for Triton's
// behaviour, the model is warmed up, its configuration cannot be read, or its folder has too many files.
std::optional<ModelKey> KeyOf(const inferd_load& load);

}  // namespace inferd::python
