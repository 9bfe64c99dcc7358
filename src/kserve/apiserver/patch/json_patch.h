#pragma once

#include "base/status.h"
#include "data/manifest/value.h"

namespace inferd::apiserver {

struct JsonPatchLimits {
  size_t operations_max = 10'000;      // Kubernetes: of one patch
  size_t tokens_max = 64;              // of one path
  size_t copied_values_max = 100'000;  // of all "copy" operations together
};

// `document` with a JSON patch (RFC 6902): add, remove, replace, move, copy, test, in order. One that fails has changed
// nothing. Thread-safe.
//
// INVALID_ARGUMENT: `patch` is none, or passes a limit. FAILED_PRECONDITION: a path leads nowhere, or a test fails.
base::Result<manifest::Value> JsonPatch(manifest::Value document, const manifest::Value& patch,
                                        const JsonPatchLimits& limits = {});

}  // namespace inferd::apiserver
