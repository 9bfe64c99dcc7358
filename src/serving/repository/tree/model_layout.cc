#include "serving/repository/tree/model_layout.h"

#include <algorithm>

#include "base/text/digits.h"
#include "serving/core/catalog_snapshot.h"

namespace inferd::repository {

namespace {

std::string_view WithoutZeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

// In Triton's words.
std::string WhyNoVersion(std::string_view digits) {
  return digits.front() == '0' ? "contains leading zeros in its directory name"
                               : "fails to convert to integral number: it is too large";
}

// Makes the folder `name` the one of the version.
void NameVersion(int64_t version, const std::string& name, ModelLayout& layout) {
  if (layout.versions.erase(version) > 0) {
    layout.warnings.push_back("version folder '" + layout.FolderOf(version) + "' is ignored: '" + name +
                              "' is the same version");
  }
  layout.folders.erase(version);
  if (name != std::to_string(version)) layout.folders[version] = name;
}

}  // namespace

bool ModelLayout::HasFile(const std::string& path) const {
  return std::ranges::any_of(shared.files, [&path](const auto& file) { return !file.is_folder && file.path == path; });
}

std::vector<int64_t> ModelLayout::VersionNumbers() const {
  std::vector<int64_t> numbers;
  for (const auto& [version, files] : versions) numbers.push_back(version);
  return numbers;
}

std::string ModelLayout::FolderOf(int64_t version) const {
  const auto it = folders.find(version);
  return it == folders.end() ? std::to_string(version) : it->second;
}

ModelLayout SplitTree(const storage::TreeStat& tree, VersionNames names) {
  ModelLayout layout;
  for (const storage::FileStat& file : tree.files) {
    const size_t slash = file.path.find('/');
    const std::string top = file.path.substr(0, slash);
    const bool is_top = slash == std::string::npos;
    if (!base::IsDigits(top) || (is_top && !file.is_folder)) {
      layout.shared.files.push_back(file);
      continue;
    }
    const int64_t version = core::ParseVersion(names == VersionNames::kExact ? top : WithoutZeros(top));
    if (version < 0) {
      if (is_top) layout.warnings.push_back("ignore version directory '" + top + "' which " + WhyNoVersion(top));
      continue;
    }
    if (is_top) NameVersion(version, top, layout);
    storage::FileStat inside = file;
    inside.path = is_top ? "" : file.path.substr(slash + 1);
    layout.versions[version].files.push_back(std::move(inside));
  }
  return layout;
}

std::vector<std::string> TopEntries(const storage::TreeStat& version) {
  std::vector<std::string> names;
  for (const storage::FileStat& file : version.files) {
    if (!file.path.empty() && file.path.find('/') == std::string::npos) names.push_back(file.path);
  }
  return names;
}

}  // namespace inferd::repository
