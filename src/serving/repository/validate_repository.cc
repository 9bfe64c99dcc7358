#include "serving/repository/validate_repository.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "config/model/model_config_document.h"
#include "serving/repository/load/loader.h"
#include "serving/repository/load/version_signature.h"
#include "serving/repository/records/wanted_versions.h"
#include "serving/repository/tree/folder_advice.h"
#include "serving/repository/tree/source.h"
#include "serving/repository/validate_dependencies.h"

namespace inferd::repository {

namespace {

class Report {
 public:
  explicit Report(std::ostream& out) : out_(out) {}

  void Problem(std::string_view text) {
    ++problems_;
    out_ << "  problem: ";
    Indented(text, "    ");
  }
  void BeginModel(const ModelLook& look) {
    warnings_.clear();
    out_ << "model '" << look.name << "' in " << look.model_dir.string() << '\n';
  }
  // Writes the warning once per model: all its versions share its configuration.
  void Warning(const std::string& text) {
    if (!warnings_.insert(text).second) return;
    out_ << "  warning: ";
    Indented(text, "    ");
  }
  // Writes the text, with `indent` before every line except the first.
  void Indented(std::string_view text, std::string_view indent) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      if (begin > 0) out_ << indent;
      out_ << text.substr(begin, end - begin) << '\n';
      begin = end + 1;
    }
  }
  std::ostream& out() { return out_; }
  int problems() const { return problems_; }

 private:
  std::ostream& out_;
  int problems_ = 0;
  std::set<std::string> warnings_;  // of the model
};

void CheckVersion(const Loader& loader, const WantedVersion& wanted, Report& report) {
  const LoadJob& job = wanted.job;
  const auto opened = loader.Open(job);
  if (!opened.has_value()) {
    report.Problem("version " + std::to_string(job.id.version) + ": " + opened.error().message());
    return;
  }
  const auto signature = MakeVersionSignature(*opened->config, opened->model->signature(), job.model_dir);
  if (!signature.has_value()) {
    report.Problem("version " + std::to_string(job.id.version) + ": " + signature.error().message());
    return;
  }
  for (const std::string& line : opened->config->unacted_fields) report.Warning(line);
  const config::BatchingDecision& batching = opened->config->batching_decision;
  report.out() << "  version " << job.id.version << (batching.batches ? " batches: " : " does not batch: ");
  report.Indented(batching.reason, "    ");
  if (!batching.warning.empty()) report.Warning(batching.warning);
  report.out() << "  version " << job.id.version << ", completed configuration:\n    ";
  report.Indented(opened->config->document->ToPbtxt(), "    ");
}

void CheckModel(const Loader& loader, const DependencyCheck& dependencies, const ModelLook& look, Report& report) {
  report.BeginModel(look);
  if (!look.problem.ok()) return report.Problem(look.problem.message());
  for (const std::string& warning : look.layout.warnings) report.Warning(warning);
  for (const std::string& problem : dependencies.ProblemsOf(look)) report.Problem(problem);
  const auto wanted = SelectWanted(look, {}, {});
  if (wanted.empty()) return report.Problem(WhyNoVersions(look));
  for (const int64_t version : look.rules.policy.specific) {
    if (!wanted.contains(version)) report.Problem("version " + std::to_string(version) + " is asked for and not there");
  }
  for (const auto& [version, target] : wanted) CheckVersion(loader, target, report);
}

// Returns the models to look at: with explicit control, the startup models and the models on which they depend; all
// models if none are named.
Dependencies::Names Asked(const ManagerOptions& options, const std::vector<ModelLook>& looks,
                          const DependencyCheck& dependencies) {
  const std::vector<std::string>& names = options.startup_models;
  const bool all = options.control != config::ControlMode::kExplicit || names.empty() ||
                   std::ranges::find(names, "*") != names.end();
  if (!all) return dependencies.WithNeeded({names.begin(), names.end()});
  Dependencies::Names models;
  for (const ModelLook& look : looks) models.insert(look.name);
  return models;
}

}  // namespace

int ValidateRepositories(const ManagerOptions& options, std::span<core::Engine* const> engines,
                         const base::Clock& clock, std::ostream& out) {
  Report report(out);
  const auto source = Source::Create(options.repositories, clock, options.settle_ms, options.model_config_name);
  if (!source.has_value()) {
    report.Problem(source.error().message());
    return report.problems();
  }
  if (options.served_models.has_value()) (*source)->Serve(*options.served_models);
  metrics::Registry nobody_reads;
  LoadMetrics metrics(nobody_reads, false);
  const Loader loader(options.completion, {.engines = engines,
                                           .scheduler_factory = {},
                                           .recorded_warmups = nullptr,
                                           .group_cores = nullptr,
                                           .clock = clock,
                                           .metrics = metrics});
  std::vector<base::Status> unreadable;
  const std::vector<ModelLook> looks = (*source)->Look(true, &unreadable);
  for (const base::Status& status : unreadable) report.Problem(status.message());
  const DependencyCheck dependencies(looks);
  const Dependencies::Names asked = Asked(options, looks, dependencies);
  size_t models = 0;
  for (const ModelLook& look : looks) {
    if (!asked.contains(look.name)) continue;
    CheckModel(loader, dependencies, look, report);
    ++models;
  }
  out << models << (models == 1 ? " model, " : " models, ") << report.problems()
      << (report.problems() == 1 ? " problem\n" : " problems\n");
  return report.problems();
}

}  // namespace inferd::repository
