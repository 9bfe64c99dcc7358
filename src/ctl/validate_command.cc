#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "ctl/commands.h"
#include "ctl/manifests/validate_manifests.h"
#include "ctl/program/server_program.h"
#include "ctl/program/validation_report.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

bool IsVersionName(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

// Whether the folder is one model's, and not a repository of them: it has a configuration, a version folder, or files
// besides folders.
bool IsModelFolder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "config.pbtxt", error)) return true;
  bool file = false;
  bool subfolder = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with('.')) continue;
    if (entry.is_directory(error)) {
      if (IsVersionName(name) && !fs::exists(entry.path() / "config.pbtxt", error)) return true;
      subfolder = true;
    } else if (name.starts_with("model.")) {
      file = true;
    }
  }
  return file && !subfolder;
}

// The server's options that have it look at what is there: a model file, a model's folder, a repository.
std::vector<std::string> OptionsFor(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return {path};
  fs::path folder = fs::canonical(path, error);
  if (error) folder = path;
  if (!IsModelFolder(folder) || !folder.has_parent_path()) return {"--model-repository=" + path};
  return {"--model-repository=" + folder.parent_path().string(), "--model-control-mode=explicit",
          "--load-model=" + folder.filename().string()};
}

// Has inferd look at models.
base::Result<int> ValidateModels(const std::string& path, const Output& out) {
  std::vector<std::string> options = OptionsFor(path);
  options.insert(options.begin(), "--dry-run");
  if (!out.json) return RunServerProgram(options, nullptr);
  std::string printed;
  INFERD_ASSIGN_OR_RETURN(const int exit_status, RunServerProgram(options, &printed));
  json::Writer writer;
  WriteValidationReport(writer, path, exit_status == 0, ParseValidationReport(printed));
  out.Write(writer);
  return exit_status;
}

}  // namespace

base::Result<int> Validate(const ValidateArguments& arguments, const Output& out) {
  for (const std::string& path : arguments.paths) {
    std::error_code error;
    if (!fs::exists(path, error)) return std::unexpected(base::NotFound("there is no '" + path + "'"));
  }
  if (std::ranges::all_of(arguments.paths, IsManifest)) {
    return ValidateManifests(arguments.paths, arguments.runtimes, out);
  }
  if (arguments.paths.size() > 1) {
    return std::unexpected(base::InvalidArgument("of several paths, all must be manifests (*.yaml, *.yml, *.json)"));
  }
  if (!arguments.runtimes.empty()) {
    return std::unexpected(base::InvalidArgument("--runtimes is for manifests (*.yaml, *.yml, *.json)"));
  }
  return ValidateModels(arguments.paths.front(), out);
}

}  // namespace inferd::ctl
