#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "ctl/commands.h"
#include "ctl/manifests/validate_manifests.h"
#include "ctl/program/server_program.h"
#include "ctl/program/validation_report.h"
#include "ctl/validate/trial.h"
#include "ctl/validate/trial_server.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

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

// How inferd is started on what stands at a path.
struct Target {
  std::vector<std::string> options;
  bool one_model = false;  // a model file or a model's folder, which is tried; else a repository
  std::string model = {};  // empty: the only one that the server has
};

Target TargetAt(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return {.options = {path}, .one_model = true};
  fs::path folder = fs::canonical(path, error);
  if (error) folder = path;
  if (!IsModelFolder(folder) || !folder.has_parent_path()) return {.options = {"--model-repository=" + path}};
  return {.options = {"--model-repository=" + folder.parent_path().string(), "--model-control-mode=explicit",
                      "--load-model=" + folder.filename().string()},
          .one_model = true,
          .model = folder.filename().string()};
}

constexpr std::chrono::minutes kLoadLimit{10};

// Loads the model into a server of its own, and sends it a made-up request.
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

// Runs inferd on models, and tries the model if there is one and inferd found no problem.
base::Result<int> ValidateModels(const std::string& path, const Output& out) {
  const Target target = TargetAt(path);
  std::vector<std::string> options = target.options;
  options.insert(options.begin(), "--dry-run");
  if (!out.json && !target.one_model) return RunServerProgram(options, nullptr);
  std::string printed;
  INFERD_ASSIGN_OR_RETURN(int exit_status, RunServerProgram(options, &printed));
  std::optional<Trial> trial;
  if (target.one_model && exit_status == 0) trial = Try(target);
  if (trial && !trial->reason.empty()) exit_status = 1;
  if (out.json) {
    json::Writer writer;
    WriteValidationReport(writer, path, exit_status == 0, ParseValidationReport(printed), [&](json::Writer& further) {
      if (!trial) return;
      further.Key("trial");
      WriteTrial(further, *trial);
    });
    out.Write(writer);
  } else {
    // The summary stays the last line.
    const size_t summary = trial ? printed.rfind('\n', printed.size() - 2) + 1 : 0;
    if (trial) out.stream << std::string_view(printed).substr(0, summary) << TrialText(*trial);
    const bool loaded = !trial || trial->reason.empty();
    out.stream << (loaded ? std::string_view(printed).substr(summary) : "1 model, 1 problem\n");
  }
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
