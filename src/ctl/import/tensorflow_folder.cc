#include <string>
#include <system_error>
#include <vector>

#include "ctl/import/foreign_folder.h"
#include "ctl/import/listing.h"
#include "ctl/import/model_folders.h"
#include "ctl/text/quoted_path.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

constexpr const char* kAs = "tensorflow_model_server";

fs::path AbsolutePath(const fs::path& path) {
  std::error_code error;
  fs::path absolute = fs::absolute(path, error).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

std::vector<std::string> ServerOptions(std::vector<std::string> options) {
  options.insert(options.begin(), {"--as", kAs, "--port=8500", "--rest_api_port=8501"});
  return options;
}

bool IsModelsConfig(const fs::path& file) {
  const auto text = ReadSettings(file);
  return text.has_value() && text->contains("model_config_list");
}

ForeignFolder OfConfig(const fs::path& file) {
  ForeignFolder found;
  found.options = ServerOptions({"--model_config_file=" + AbsolutePath(file).string()});
  return found;
}

// Returns the files of the folder that list models, and notes those that cannot be read.
std::vector<fs::path> ModelsConfigs(const fs::path& folder, const Listing& listing, ForeignFolder& found) {
  std::vector<fs::path> configs;
  for (const std::string& name : listing.files) {
    const std::string ending = fs::path(name).extension().string();
    if (ending != ".config" && ending != ".conf" && ending != ".pbtxt" && ending != ".txt") continue;
    if (const auto text = ReadSettings(folder / name); !text.has_value()) {
      found.unread.push_back(QuotedPath(folder / name) + ": " + text.error().message());
    } else if (text->contains("model_config_list")) {
      configs.push_back(folder / name);
    }
  }
  return configs;
}

}  // namespace

base::Result<ForeignFolder> ReadTensorFlowFolder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_regular_file(folder, error)) {
    if (IsModelsConfig(folder)) return OfConfig(folder);
    return std::unexpected(
        base::InvalidArgument(QuotedPath(folder) + " is no models file: it has no model_config_list"));
  }
  INFERD_ASSIGN_OR_RETURN(const Listing listing, ListFolder(folder));
  ForeignFolder found;
  const std::vector<fs::path> configs = ModelsConfigs(folder, listing, found);
  if (configs.size() > 1) {
    return std::unexpected(base::InvalidArgument("several files list models, as " + QuotedPath(configs[0]) + " and " +
                                                 QuotedPath(configs[1]) + ": name one of them"));
  }
  if (configs.size() == 1) {
    ForeignFolder of_config = OfConfig(configs.front());
    of_config.unread = found.unread;
    return of_config;
  }
  const fs::path absolute = AbsolutePath(folder);
  if (HasVersionFolders(folder)) {
    const std::string name = absolute.filename().string();
    found.models.push_back({.name = name, .place = folder.string()});
    found.options = ServerOptions({"--model_name=" + name, "--model_base_path=" + absolute.string()});
    return found;
  }
  AddModelFolders(folder, listing, found);
  if (found.models.empty() && found.unread.empty()) {
    return std::unexpected(base::InvalidArgument(
        QuotedPath(folder) +
        " has no folders of versions (1, 2, ...), no folders with such folders, and no file with a "
        "model_config_list"));
  }
  found.options = {"--model-repository=" + folder.string()};
  found.notes.emplace_back(
      "several base paths without a models file: inferd serves them as a repository, with TensorFlow Serving's REST on "
      "port 8000 and its gRPC on port 8001");
  return found;
}

}  // namespace inferd::ctl
