#include "kserve/model/files/object_files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/system/program_folder.h"
#include "data/manifest/read.h"

namespace inferd::model {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDefaultRuntimes = "../share/inferd/runtimes";

bool IsNamedAsManifest(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".yaml" || ending == ".yml" || ending == ".json";
}

}  // namespace

base::Status ObjectFiles::Add(const std::string& file) {
  INFERD_ASSIGN_OR_RETURN(std::vector<manifest::Value> documents, manifest::ReadFile(file));
  for (Object& object : ReadObjects(std::move(documents))) {
    objects_.push_back(std::move(object));
    files_[&objects_.back()] = file;
  }
  return base::OkStatus();
}

base::Status ObjectFiles::AddSound(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> files, ManifestsOf(path));
    for (const std::string& file : files) INFERD_RETURN_IF_ERROR(Add(file));
  }
  for (const Object& object : objects_) {
    if (!object.problems.empty()) {
      return base::InvalidArgument(object.problems.front().ToString(files_.at(&object)));
    }
  }
  return base::OkStatus();
}

std::vector<const ServingRuntime*> ObjectFiles::runtimes() const {
  std::vector<const ServingRuntime*> runtimes;
  for (const Object& object : objects_) {
    if (const auto* runtime = std::get_if<ServingRuntime>(&object.typed)) runtimes.push_back(runtime);
  }
  return runtimes;
}

base::Result<std::vector<std::string>> ManifestsOf(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    if (IsNamedAsManifest(it->path())) files.push_back(it->path());
  }
  if (error) return std::unexpected(base::InvalidArgument("cannot read '" + path + "': " + error.message()));
  std::ranges::sort(files);
  return files;
}

std::string DefaultRuntimesFolder() { return (base::ProgramFolder() / kDefaultRuntimes).lexically_normal(); }

}  // namespace inferd::model
