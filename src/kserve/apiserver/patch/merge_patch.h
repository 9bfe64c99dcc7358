#pragma once

#include "data/manifest/value.h"

namespace inferd::apiserver {

// Returns `target` with a JSON merge patch (RFC 7386) applied: members of maps are merged, null removes a member, and
// all else is replaced. Thread-safe.
manifest::Value MergePatch(manifest::Value target, const manifest::Value& patch);

// Returns `target` with a strategic merge patch applied, for the kinds of this API. None of their lists has a merge
// key, except those of `metadata`. All directives are ignored, such as `$setElementOrder/...` and `$retainKeys`.
// Thread-safe.
manifest::Value StrategicPatch(manifest::Value target, const manifest::Value& patch);

}  // namespace inferd::apiserver
