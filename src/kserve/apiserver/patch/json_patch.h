#pragma once

#include "base/status.h"
#include "data/manifest/value.h"

namespace inferd::apiserver {

struct JsonPatchLimits {
  size_t operations_max = 10'000;      // of one patch, as in Kubernetes
  size_t tokens_max = 64;              // of one path
  size_t copied_values_max = 100'000;  // of all "copy" operations together
};

// Returns `document` with a JSON patch (RFC 6902) applied: add, remove, replace, move, copy and test, in order. A
// failing patch changes nothing. Thread-safe.
//
// INVALID_ARGUMENT if `patch` is malformed or exceeds a limit. FAILED_PRECONDITION if a path does not exist, or a test
// fails.
base::Result<manifest::Value> JsonPatch(manifest::Value document, const manifest::Value& patch,
                                        const JsonPatchLimits& limits = {});

}  // namespace inferd::apiserver
