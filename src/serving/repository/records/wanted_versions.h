#pragma once

#include <map>
#include <memory>
#include <string>

#include "serving/repository/records/model_record.h"
#include "serving/repository/tree/source.h"

namespace inferd::repository {

// What a load call brings of its own.
struct Override {
  std::string config_json;            // empty: the folder's config.pbtxt
  std::shared_ptr<const void> files;  // keeps the staging folder that the look went into; null: the repository's folder
};

// The versions that shall be served, by the version policy over what a look found whole; a pure function. While the
// folder changes, what was wanted before stays so.
std::map<int64_t, WantedVersion> SelectWanted(const ModelLook& look, const Override& override,
                                              const std::map<int64_t, WantedVersion>& before);

}  // namespace inferd::repository
