#include "ctl/validate/target.h"

#include <chrono>
#include <filesystem>
#include <memory>

#include "ctl/program/server_program.h"
#include "ctl/validate/trial_server.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLoadLimit{10};

bool IsVersionName(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

// Returns true if the folder is one model rather than a repository: it has a configuration, a version folder, or files.
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

}  // namespace

Target TargetAt(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return {.options = {path}, .one_model = true};
  fs::path folder = fs::canonical(path, error);
  if (error) folder = path;
  if (!IsModelFolder(folder) || !folder.has_parent_path()) return {.options = {"--model-repository=" + path}};
  return TargetIn(folder.parent_path().string(), folder.filename().string());
}

Target TargetIn(const std::string& repository, const std::string& model) {
  return {.options = {"--model-repository=" + repository, "--model-control-mode=explicit", "--load-model=" + model},
          .one_model = true,
          .model = model};
}

Trial Try(const Target& target) {
  const base::Result<std::string> program = ServerProgram();
  if (!program.has_value()) return {.model = target.model, .untried = program.error().message()};
  base::Result<std::unique_ptr<TrialServer>> server = TrialServer::Start(*program, target.options, kLoadLimit);
  if (!server.has_value()) {
    Trial trial{.model = target.model};
    const bool ended_at_the_load = server.error().code() == base::StatusCode::kUnavailable;
    (ended_at_the_load ? trial.reason : trial.untried) = server.error().message();
    return trial;
  }
  const IndexRow* ready = nullptr;
  for (const IndexRow& row : (*server)->models()) {
    if (!target.model.empty() && row.name != target.model) continue;
    if (row.state != "READY") return {.model = row.name, .reason = "version " + row.version + ": " + row.reason};
    ready = &row;
  }
  if (ready != nullptr) return TryModel((*server)->api(), ready->name);
  return {.model = target.model, .reason = "the server has no such model"};
}

}  // namespace inferd::ctl
