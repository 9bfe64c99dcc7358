#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "config/base_path.h"
#include "config/personalities/flag_combination.h"
#include "config/personalities/kserve_flags.h"

namespace inferd::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModelDir = "model_dir";
constexpr std::string_view kModelName = "model_name";

// Returns a folder's content. Empty if it cannot be read, which is reported later.
std::vector<fs::path> EntriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!it->path().filename().string().starts_with('.')) entries.push_back(it->path());
  }
  std::ranges::sort(entries);
  return entries;
}

bool IsFolder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

bool IsVersion(const fs::path& path) {
  return path.filename().string().find_first_not_of("0123456789") == std::string::npos && IsFolder(path);
}

// Returns true if the folder may be a model with a name of its own: it is neither a version nor a model file in the
// form of a folder.
bool IsModelFolder(const fs::path& path) {
  return IsFolder(path) && !IsVersion(path) && path.extension() != ".savedmodel";
}

bool HasVersions(const fs::path& folder) { return std::ranges::any_of(EntriesOf(folder), IsVersion); }

// Settings for models that use KServe's package, which the python engine runs, and the names of their configuration
// parameters.
constexpr std::pair<std::string_view, std::string_view> kModelParameters[] = {
    {"predictor_host", "predictor_host"}, {"predictor_protocol", "protocol"}, {"explainer_host", "explainer_host"}};

}  // namespace

base::Result<CombinedFlags> CombineKserveFlags(const GivenFlags& given) {
  FlagCombination flags(given);
  for (const auto& [flag, parameter] : kModelParameters) {
    const std::string* const value = given.Find(flag);
    if (value != nullptr) flags.Add("engine-parameter", "python:" + std::string(parameter) + "=" + *value, flag);
  }
  const std::string* const dir = flags.File(kModelDir);
  const std::string* const name = given.Find(kModelName);
  if (dir == nullptr) {
    if (name != nullptr) flags.Warn(kModelName, " has no effect without --model_dir");
    return flags.Take();
  }
  std::error_code ignored;  // the path stays unchanged if there is no current directory
  const fs::path path = fs::absolute(LocalPath(*dir), ignored);
  const std::vector<fs::path> entries = EntriesOf(path);
  if (entries.empty() && IsFolder(path)) {
    // Like KServe's servers: models arrive later, by load calls.
    flags.Add("model-repository", path.string(), kModelDir);
    return flags.Take();
  }
  if (entries.empty() || !std::ranges::all_of(entries, IsModelFolder)) {
    flags.Add("model-file", (name == nullptr ? "model" : *name) + "=" + path.string(), kModelDir);
    return flags.Take();
  }
  if (name != nullptr) flags.Warn(kModelName, " has no effect: --model_dir has a folder for each model");
  if (std::ranges::all_of(entries, HasVersions)) {
    flags.Add("model-repository", path.string(), kModelDir);
    return flags.Take();
  }
  for (const fs::path& model : entries) {
    flags.Add("model-file", model.filename().string() + "=" + model.string(), kModelDir);
  }
  return flags.Take();
}

}  // namespace inferd::config
