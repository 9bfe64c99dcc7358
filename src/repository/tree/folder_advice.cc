#include "repository/tree/folder_advice.h"

#include <vector>

#include "config/model/model_hints.h"
#include "config/platform.h"
#include "repository/tree/no_versions.h"

namespace inferd::repository {

namespace {

// The names directly in the model's folder, the version folders aside.
std::vector<std::string> TopNames(const ModelLook& look) { return TopEntries(look.layout.shared); }

std::string Advice(const ModelLook& look) {
  const std::vector<std::string> names = TopNames(look);
  if (const auto found = config::DetectModel(names); found.has_value()) {
    return "put " + found->filename + " into a version folder, " + look.name + "/1/" + found->filename;
  }
  if (const std::string_view hint = config::ForeignModelHint(names); !hint.empty()) {
    return std::string(hint) + ", and belong into a version folder, " + look.name + "/1/";
  }
  for (const storage::FileStat& file : look.layout.shared.files) {
    const size_t slash = file.path.find('/');
    if (slash == std::string::npos || config::FindPlatformOfFile(file.path.substr(slash + 1)) == nullptr) continue;
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
