#pragma once

#include <map>
#include <memory>
#include <string>

#include "serving/repository/records/model_record.h"
#include "serving/repository/tree/source.h"

namespace inferd::repository {

// The configuration and files that a load call brings in place of the folder's.
struct Override {
  std::string config_json;            // empty for the folder's config.pbtxt
  std::shared_ptr<const void> files;  // keeps the staging folder alive; null for the repository's folder
};

// Selects the versions to serve: applies the version policy to the versions that the look found complete. A pure
// function. While the folder changes, versions that were wanted before stay wanted.
std::map<int64_t, WantedVersion> SelectWanted(const ModelLook& look, const Override& override,
                                              const std::map<int64_t, WantedVersion>& before);

}  // namespace inferd::repository
