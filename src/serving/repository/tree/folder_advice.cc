#include "serving/repository/tree/folder_advice.h"

#include <vector>

#include "config/format/model_files.h"
#include "serving/repository/tree/no_versions.h"

namespace inferd::repository {

namespace {

// Returns the names directly in the model's folder, except the version folders.
std::vector<std::string> TopNames(const ModelLook& look) { return TopEntries(look.layout.shared); }

// Returns true if an engine reads a file of that name.
bool IsModelFile(const std::string& name) {
  const auto found = config::FindModel({}, name);
  return found.has_value() && config::PlatformOf(*found->format) != nullptr;
}

std::string Advice(const ModelLook& look) {
  const config::ModelFiles files{.names = TopNames(look), .folder = {}};
  const auto found = config::FindModels(files, [](const config::Platform&) { return true; });
  if (!found.empty()) {
    const std::string& name = found.front().filename;
    return "put " + name + " into a version folder, " + look.name + "/1/" + name;
  }
  if (const std::string hint = config::AdviceOnUnread(files); !hint.empty()) {
    return hint + ", and belong into a version folder, " + look.name + "/1/";
  }
  for (const storage::FileStat& file : look.layout.shared.files) {
    const size_t slash = file.path.find('/');
    if (slash == std::string::npos || !IsModelFile(file.path.substr(slash + 1))) continue;
    return "a version folder's name is a number, as in " + look.name + "/1/" + file.path.substr(slash + 1) +
           ": rename '" + file.path.substr(0, slash) + "'";
  }
  return "";
}

}  // namespace

std::string WhyNoVersions(const ModelLook& look) {
  if (look.named) return DescribeNoVersions(look);
  std::string why = "at least one version must be available under the version policy of model '" + look.name + "'";
  const std::string advice = look.layout.versions.empty() ? Advice(look) : "";
  return advice.empty() ? why : why + ": " + advice;
}

}  // namespace inferd::repository
