#pragma once

#include "data/manifest/value.h"

namespace inferd::apiserver {

// `target` with a JSON merge patch (RFC 7386): members of maps are merged, null removes one, all else is replaced.
// Thread-safe.
manifest::Value MergePatch(manifest::Value target, const manifest::Value& patch);

// The same of a strategic merge patch of the kinds that are built in here, none of whose lists has a merge key but
// those of `metadata`: the directives `$setElementOrder/...` and `$retainKeys`, which only order what is there, are
// left out.
manifest::Value StrategicPatch(manifest::Value target, const manifest::Value& patch);

}  // namespace inferd::apiserver
