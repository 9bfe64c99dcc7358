#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "protocols/tfs/model_spec.h"
#include "serving/core/model/catalog.h"

namespace inferd::tfs {

// tensorflow.serving.ModelVersionStatus.State, numbered as published.
enum class VersionState : uint8_t {
  kUnknown = 0,
  kStart = 10,
  kLoading = 20,
  kAvailable = 30,
  kUnloading = 40,
  kEnd = 50
};
std::string_view VersionStateName(VersionState state);  // "AVAILABLE"

// The status of a version. A version that ended normally has no error; one that could not be loaded has the load's.
struct VersionStatus {
  VersionState state = VersionState::kUnknown;
  base::Status error = {};
};
VersionStatus StatusOf(const core::IndexEntry& entry);

// Returns the versions for a model's status, newest first as in TensorFlow Serving. NOT_FOUND in TensorFlow Serving's
// words.
base::Result<std::vector<core::IndexEntry>> FindVersions(const core::Catalog& catalog, const ModelSpec& spec);

}  // namespace inferd::tfs
