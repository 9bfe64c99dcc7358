#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "data/manifest/value.h"
#include "kserve/apiserver/objects/resource_type.h"

namespace inferd::apiserver {

// How much of the object a row contains besides its cells (meta.k8s.io: includeObject).
enum class TableObjects { kNone, kMetadata, kObject };

// Returns objects as rows (meta.k8s.io/v1: Table), with the columns that KServe's definitions, or Kubernetes, have for
// the kind. `now_s` is in seconds since the epoch, for ages (EpochSeconds). Thread-safe.
manifest::Value TableOf(const ResourceType& type, std::span<const manifest::Value> objects, TableObjects with,
                        int64_t now_s);

inline int64_t EpochSeconds(const base::Clock& clock) {
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  return clock.WallNs() / kNsPerSecond;
}

// Returns how long ago an RFC 3339 time was: "5s", "3m2s", "4h", "2d" (apimachinery: HumanDuration). Empty if it is not
// a time.
std::string AgeOf(const std::string& time, int64_t now_s);

}  // namespace inferd::apiserver
