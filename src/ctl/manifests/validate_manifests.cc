#include "ctl/manifests/validate_manifests.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <list>
#include <utility>

#include "controlplane/api/object.h"
#include "ctl/manifests/manifest_report.h"
#include "manifest/read.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

using controlplane::Object;
using controlplane::ServingRuntime;

constexpr std::string_view kDefaultRuntimes = "../share/inferd/runtimes";
constexpr size_t kBeginningBytes = 4096;

bool HasEnding(const fs::path& path, std::initializer_list<std::string_view> endings) {
  return std::ranges::find(endings, path.extension().string()) != endings.end();
}

// Objects that stay where they are, with the file of each.
class ObjectFiles {
 public:
  base::Status Add(const std::string& file) {
    INFERD_ASSIGN_OR_RETURN(std::vector<manifest::Value> documents, manifest::ReadFile(file));
    for (Object& object : controlplane::ReadObjects(std::move(documents))) {
      objects_.push_back(std::move(object));
      files_[&objects_.back()] = file;
    }
    return base::OkStatus();
  }

  const std::list<Object>& objects() const { return objects_; }
  const std::map<const Object*, std::string>& files() const { return files_; }

 private:
  std::list<Object> objects_;
  std::map<const Object*, std::string> files_;
};

// The files of a folder that have manifests, in the order of their names; a file is itself.
base::Result<std::vector<std::string>> FilesOf(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    if (HasEnding(it->path(), {".yaml", ".yml", ".json"})) files.push_back(it->path());
  }
  if (error) return std::unexpected(base::InvalidArgument("cannot read '" + path + "': " + error.message()));
  std::ranges::sort(files);
  return files;
}

// The folder of the runtimes that are installed with this program.
std::string DefaultRuntimesFolder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return (program.parent_path() / kDefaultRuntimes).lexically_normal();
}

base::Status AddRuntimes(const std::vector<std::string>& paths, ObjectFiles& objects) {
  for (const std::string& path : paths) {
    INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesOf(path));
    for (const std::string& file : files) INFERD_RETURN_IF_ERROR(objects.Add(file));
  }
  for (const Object& object : objects.objects()) {
    if (!object.problems.empty()) {
      return base::InvalidArgument(object.problems.front().ToString(objects.files().at(&object)));
    }
  }
  return base::OkStatus();
}

}  // namespace

bool IsManifest(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  if (HasEnding(path, {".yaml", ".yml"})) return true;
  if (!HasEnding(path, {".json"})) return false;
  std::string beginning(kBeginningBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<size_t>(file.gcount()));
  return beginning.contains("\"apiVersion\"");
}

base::Result<int> ValidateManifests(const std::vector<std::string>& files, const std::vector<std::string>& runtimes,
                                    const Output& out) {
  ObjectFiles known;
  const std::vector<std::string> places = runtimes.empty() ? std::vector{DefaultRuntimesFolder()} : runtimes;
  INFERD_RETURN_IF_ERROR(AddRuntimes(places, known).WithContext("runtimes"));
  std::vector<const ServingRuntime*> known_runtimes;
  for (const Object& object : known.objects()) {
    if (const auto* runtime = std::get_if<ServingRuntime>(&object.typed)) known_runtimes.push_back(runtime);
  }

  ManifestReport report;
  ObjectFiles given;
  for (const std::string& file : files) {
    if (const base::Status status = given.Add(file); !status.ok()) report.problems.push_back(status.message());
  }
  std::vector<const Object*> objects;
  for (const Object& object : given.objects()) objects.push_back(&object);
  report.reviews = controlplane::ReviewObjects(objects, known_runtimes);
  report.files = given.files();
  if (out.json) {
    json::Writer writer;
    WriteManifestReport(writer, report);
    out.Write(writer);
  } else {
    PrintManifestReport(out.stream, report);
  }
  return report.problem_count() == 0 ? 0 : 1;
}

}  // namespace inferd::ctl
