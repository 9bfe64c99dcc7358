#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "data/manifest/value.h"
#include "kserve/apiserver/objects/resource_type.h"

namespace inferd::apiserver {

// How much of each object its row has beside its cells (meta.k8s.io: includeObject).
enum class TableObjects { kNone, kMetadata, kObject };

// Objects as rows (meta.k8s.io/v1: Table), in the columns that KServe's definitions, or Kubernetes, have for the kind.
// `now_s`: since the epoch, for ages (EpochSeconds). Thread-safe.
manifest::Value TableOf(const ResourceType& type, std::span<const manifest::Value> objects, TableObjects with,
                        int64_t now_s);

inline int64_t EpochSeconds(const base::Clock& clock) {
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  return clock.WallNs() / kNsPerSecond;
}

// A time of RFC 3339 as how long ago it was: "5s", "3m2s", "4h", "2d" (apimachinery: HumanDuration). Empty: it is none.
std::string AgeOf(const std::string& time, int64_t now_s);

}  // namespace inferd::apiserver
