#include <filesystem>
#include <system_error>

#include "config/base_path.h"
#include "config/personalities/flag_combination.h"
#include "config/personalities/kserve_flags.h"

namespace inferd::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModelDir = "model_dir";
constexpr std::string_view kModelName = "model_name";

bool IsVersion(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.find_first_not_of("0123456789") == std::string::npos;
}

// Whether a folder has models in folders of their own, and is none itself: nothing in it but folders, none of them a
// version. What cannot be read is one model, and said to be missing when that is looked for.
bool IsRepository(const fs::path& folder) {
  std::error_code error;
  size_t folders = 0;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with('.')) continue;
    std::error_code unknown;
    if (!it->is_directory(unknown) || IsVersion(it->path())) return false;
    ++folders;
  }
  return !error && folders > 0;
}

}  // namespace

base::Result<CombinedFlags> CombineKserveFlags(const GivenFlags& given) {
  FlagCombination flags(given);
  const std::string* const dir = flags.File(kModelDir);
  const std::string* const name = given.Find(kModelName);
  if (dir == nullptr) {
    if (name != nullptr) flags.Warn(kModelName, " has no effect without --model_dir");
    return flags.Take();
  }
  std::error_code ignored;  // left as it is if there is no current directory
  const fs::path path = fs::absolute(LocalPath(*dir), ignored);
  if (IsRepository(path)) {
    if (name != nullptr) flags.Warn(kModelName, " has no effect: --model_dir has a folder for each model");
    flags.Add("model-repository", path.string(), kModelDir);
  } else {
    flags.Add("model-file", (name == nullptr ? "model" : *name) + "=" + path.string(), kModelDir);
  }
  return flags.Take();
}

}  // namespace inferd::config
