#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "ctl/commands.h"
#include "ctl/manifests/validate_manifests.h"
#include "ctl/program/server_program.h"
#include "ctl/program/validation_report.h"
#include "ctl/validate/target.h"
#include "ctl/validate/trial.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

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
