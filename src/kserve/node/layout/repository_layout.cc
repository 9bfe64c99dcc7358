#include "kserve/node/layout/repository_layout.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/text/masking.h"
#include "data/manifest/value.h"

namespace inferd::node {

namespace {

namespace fs = std::filesystem;
using manifest::Value;

constexpr std::string_view kConfiguration = "config.pbtxt";
constexpr std::string_view kSavedModel = "saved_model.pb";
// Triton's names in a version folder.
constexpr std::string_view kModelFile = "model";
constexpr std::string_view kSavedModelFolder = "model.savedmodel";

// The entries of a folder. Links to folders count as folders. Hidden entries do not count.
struct Entries {
  std::vector<fs::path> files, folders;
};

Entries EntriesOf(const fs::path& folder) {
  Entries entries;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with('.')) continue;
    (fs::is_directory(at->path(), error) ? entries.folders : entries.files).push_back(at->path());
  }
  return entries;
}

bool IsVersion(const fs::path& folder) {
  return folder.filename().string().find_first_not_of("0123456789") == std::string::npos;
}

// Returns true if the folder is that of one model, with a configuration or versions.
bool IsModel(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / kConfiguration, error) || std::ranges::any_of(EntriesOf(folder).folders, IsVersion);
}

// Renames the only file of a version folder to the name that Triton expects.
std::error_code NameFile(const fs::path& folder) {
  const Entries entries = EntriesOf(folder);
  std::error_code error;
  if (entries.files.size() != 1 || !entries.folders.empty()) return error;
  const fs::path& file = entries.files.front();
  fs::rename(file, folder / (std::string(kModelFile) + file.extension().string()), error);
  return error;
}

// Moves the folder to its place in a repository, which takes the folder's name.
base::Status MoveInto(const fs::path& folder, const fs::path& place) {
  const fs::path repository = folder.string() + ".repository";
  std::error_code error;
  fs::remove_all(repository, error);
  fs::create_directories((repository / place).parent_path(), error);
  if (!error) fs::rename(folder, repository / place, error);
  if (!error) fs::rename(repository, folder, error);
  if (!error && place.filename() == "1") error = NameFile(folder / place);
  return error ? base::Unavailable("the repository " + folder.string() + " cannot be made: " + error.message())
               : base::OkStatus();
}

}  // namespace

bool TakesRepository(const model::ResolvedPod& pod) {
  const Value* const containers = pod.pod_spec.Find("containers");
  if (pod.runtime.empty() || containers == nullptr || containers->items().empty()) return false;
  const Value* const arguments = containers->items().front().Find("args");
  return arguments != nullptr && std::ranges::any_of(arguments->items(), [](const Value& argument) {
           return argument.text() == "--model-store=/mnt/models" || argument.text() == "--model-repository=/mnt/models";
         });
}

base::Status MakeRepository(const fs::path& folder, const std::string& name, const std::string& uri) {
  const Entries entries = EntriesOf(folder);
  if (std::ranges::any_of(entries.folders, IsModel)) return base::OkStatus();
  if (IsModel(folder)) return MoveInto(folder, name);
  std::error_code error;
  const fs::path version = fs::path(name) / "1";
  if (fs::exists(folder / kSavedModel, error)) return MoveInto(folder, version / kSavedModelFolder);
  if (!entries.files.empty()) return MoveInto(folder, version);
  return base::NotFound("there is no model in " + base::ShownUri(uri) +
                        " of the layout that its runtime wants: NAME/VERSION/FILE, such as " + name + "/1/model.onnx");
}

}  // namespace inferd::node
