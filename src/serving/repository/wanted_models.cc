#include "serving/repository/wanted_models.h"

#include <algorithm>
#include <utility>

#include "base/system/regular_file.h"
#include "config/memory/gpu_memory.h"
#include "config/model/model_config_completion.h"
#include "config/model/model_config_parser.h"
#include "serving/repository/records/wanted_versions.h"
#include "serving/repository/tree/folder_advice.h"
#include "serving/repository/tree/no_versions.h"

namespace inferd::repository {

bool WantedModels::FromFolder(const std::string& model, bool initial) const {
  switch (options_.control) {
    case config::ControlMode::kPoll: return initial || options_.new_models;
    case config::ControlMode::kNone: return initial;
    case config::ControlMode::kExplicit:
      return initial && (startup_models_.contains("*") || startup_models_.contains(model));
  }
  return false;
}

void WantedModels::LogProblem(const std::string& model, const std::string& problem, ProblemLog& problems) const {
  if (problems.Note(model, problem, clock_.NowNs())) logger_.Warning(problem, {{"model", model}});
}

void WantedModels::WarnOfMissing(const ModelLook& look, ProblemLog& problems) const {
  const std::string missing = DescribeMissingVersions(look);
  const std::string key = look.name + "/versions";
  if (missing.empty()) {
    problems.Forget(key);
  } else if (problems.Note(key, missing, clock_.NowNs())) {
    logger_.Warning(missing, {{"model", look.name}});
  }
}

void WantedModels::EstimateGpus(WantedVersion& wanted) const {
  if (options_.lazy.budget.gpu_bytes_max == 0) return;
  const auto resolved = loader_.Resolve(wanted.job);
  // If the configuration cannot be read, loading will report why.
  if (resolved.has_value()) wanted.held.gpus = config::GpuMemoryOf(*resolved, SizeOf(wanted.content.files));
}

bool WantedModels::AreRefused(const std::map<int64_t, WantedVersion>& wanted) const {
  return !wanted.empty() && std::ranges::all_of(wanted, [this](const auto& entry) {
    const auto resolved = loader_.Resolve(entry.second.job);
    return !resolved.has_value() && resolved.error().code() == base::StatusCode::kInvalidArgument;
  });
}

bool WantedModels::IsPolled(const ModelLook& look, const std::map<int64_t, WantedVersion>& wanted) const {
  if (!wanted.empty()) {
    return std::ranges::any_of(wanted,
                               [this](const auto& entry) { return loader_.Resolve(entry.second.job).has_value(); });
  }
  LoadJob job;
  job.id.name = look.name;
  job.repository = look.repository;
  job.config_json = look.config_json;
  if (!look.config_file.empty()) job.config_file = look.model_dir / look.config_file;
  return loader_.Resolve(job).has_value();
}

void WantedModels::NotePolled(const ModelLook& look, ModelRecord& record) const {
  if (options_.triton_exact) record.polled = IsPolled(look, record.wanted);
}

void WantedModels::Want(const ModelLook& look, std::map<int64_t, WantedVersion> wanted, ModelRecord& record) const {
  for (auto& [version, each] : wanted) EstimateGpus(each);
  const bool pinned = look.rules.pinned || pinned_models_.contains(look.name);
  record.wanted = std::move(wanted);
  record.dependencies = look.rules.dependencies;
  // If the configuration itself is wrong, that is the reason to report, rather than a missing model: there is nothing
  // to wait for.
  if (!record.dependencies.empty() && AreRefused(record.wanted)) record.dependencies.clear();
  record.on_demand = options_.lazy.enabled && !pinned;
  record.transition = look.rules.transition.value_or(options_.version_transition);
  if (!look.changing) record.labels = look.rules.labels;
  record.problem.clear();
  record.config_file.clear();
}

base::Status WantedModels::CheckConfiguration(const ModelLook& look) const {
  if (look.config_file.empty()) return base::OkStatus();
  const std::filesystem::path file = look.model_dir / look.config_file;
  const auto text = base::ReadRegularFile(file, config::kModelConfigBytesMax);
  if (!text.has_value()) return base::OkStatus();  // reported for its versions, if it has any
  auto written = config::ParseModelConfig(*text, file.string());
  if (!written.has_value()) return written.error();
  const auto resolved = config::ResolveModel(*std::move(written), look.name, {}, loader_.completion());
  if (resolved.has_value()) {
    const bool named_first = loader_.completion().triton_exact;
    return named_first ? config::CheckDatatypes(*resolved, loader_.completion()) : base::OkStatus();
  }
  const bool faulty = resolved.error().code() == base::StatusCode::kInvalidArgument;
  return faulty ? resolved.error() : base::OkStatus();
}

base::Status WantedModels::CheckLoadable(const ModelLook& look) const {
  if (!look.problem.ok()) return base::OkStatus();
  const auto wanted = SelectWanted(look, {}, {});
  if (wanted.empty()) return CheckConfiguration(look);
  const auto resolved = loader_.Resolve(wanted.rbegin()->second.job);
  return resolved.has_value() ? base::OkStatus() : resolved.error();
}

void WantedModels::WantWhatIsThere(const ModelLook& look, ModelRecord& record, ProblemLog& problems) const {
  Want(look, SelectWanted(look, {}, record.wanted), record);
  if (look.changing) return;
  if (look.named) WarnOfMissing(look, problems);
  if (!record.wanted.empty()) {
    if (problems.Forget(look.name)) {
      logger_.Info("model '" + look.name + "' is found again", {{"model", look.name}});
    }
    return;
  }
  // A wrong configuration is reported rather than a missing version folder.
  const base::Status fault = CheckConfiguration(look);
  record.problem = fault.ok() ? WhyNoVersions(look) : fault.message();
  if (!look.config_file.empty()) record.config_file = look.model_dir / look.config_file;
  // Triton's log has such a model as a failed load.
  if (look.named || !options_.triton_exact) LogProblem(look.name, record.problem, problems);
}

}  // namespace inferd::repository
