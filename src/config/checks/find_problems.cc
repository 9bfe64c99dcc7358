#include <algorithm>
#include <tuple>

#include "config/checks/checks.h"
#include "config/platform.h"

namespace inferd::config {
namespace {

// Far above any model. A load call of a few megabytes could have a million tensors, each with a problem of its own.
constexpr int kElementsMax = 16'384;

bool CheckCounts(CheckContext& c) {
  const std::pair<std::string_view, int> counts[] = {
      {"input", c.config.input_size()},
      {"output", c.config.output_size()},
      {"batch_input", c.config.batch_input_size()},
      {"batch_output", c.config.batch_output_size()},
      {"instance_group", c.config.instance_group_size()},
      {"model_warmup", c.config.model_warmup_size()},
      {"sequence_batching", c.config.sequence_batching().control_input_size()},
      {"sequence_batching", c.config.sequence_batching().state_size()},
      {"ensemble_scheduling", c.config.ensemble_scheduling().step_size()},
      {"model_metrics", c.config.model_metrics().metric_control_size()},
      {"model_repository_agents", c.config.model_repository_agents().agents_size()},
      {"inferd", c.config.inferd().padding_size()}};
  for (const auto& [field, count] : counts) {
    if (count <= kElementsMax) continue;
    c.problems.push_back(c.place.At(field, "at most " + std::to_string(kElementsMax) + " are allowed for " + c.model +
                                               ", got " + std::to_string(count)));
  }
  return c.problems.empty();
}

// `platform` that is written, and not an ensemble's. As Triton, takes a platform and a backend that are both unknown:
// an engine from elsewhere may have any names.
void CheckPlatform(CheckContext& c) {
  const std::string& name = c.config.platform();
  const std::string& backend = c.config.backend();
  const Platform* const platform = FindPlatform(name);
  const std::string known = platform == nullptr ? "; known platforms are: " + KnownPlatforms() : "";
  if (platform == nullptr && backend.empty()) {
    c.problems.push_back(c.place.At("platform", "unexpected platform type '" + name + "' for " + c.model + known));
  } else if (platform == nullptr ? FindBackend(backend) != nullptr : !backend.empty() && backend != platform->backend) {
    c.problems.push_back(c.place.At(platform == nullptr ? "platform" : "backend",
                                    "unexpected 'platform' and 'backend' pair, got:" + name + ", " + backend + known));
  }
}

void CheckIdentity(CheckContext& c) {
  const auto& config = c.config;
  if (config.name().empty()) c.problems.push_back(c.place.At("name", "model configuration must specify 'name'"));
  if (config.platform() == kEnsembleEngine) {
    if (!config.backend().empty()) {
      c.problems.push_back(c.place.At(
          "backend", "Ensemble model '" + c.model + "' must have platform type 'ensemble' and empty backend type"));
    }
  } else if (!config.platform().empty()) {
    CheckPlatform(c);
  }
  if (config.max_batch_size() < 0) {
    c.problems.push_back(c.place.At("max_batch_size", "'max_batch_size' must be non-negative value for " + c.model));
  }
}

void CheckVersionPolicy(CheckContext& c) {
  if (!c.config.version_policy().has_specific()) return;
  const auto& versions = c.config.version_policy().specific().versions();
  const Place place = c.place.In("version_policy").In("specific");
  if (versions.empty()) c.problems.push_back(place.At("versions", "must list at least one version for " + c.model));
  if (std::ranges::any_of(versions, [](int64_t version) { return version < 0; })) {
    c.problems.push_back(place.At("versions", "versions must be non-negative for " + c.model));
  }
}

void CheckResponseCache(CheckContext& c) {
  if (!c.config.response_cache().enable() || !c.config.model_transaction_policy().decoupled()) return;
  c.problems.push_back(c.place.At("response_cache", "Response Cache does not currently support model " + c.model +
                                                        " with 'decoupled' transaction policy. Please disable the "
                                                        "response cache."));
}

}  // namespace

std::vector<Problem> FindProblems(const ModelConfigDocument& document, const std::string& model_name,
                                  std::string_view engine, bool absent_gpus_are_cpus) {
  std::vector<Problem> problems;
  CheckContext context{document.message().proto, Place(document.message()), model_name, engine, problems,
                       absent_gpus_are_cpus};
  if (!CheckCounts(context)) return problems;
  CheckIdentity(context);
  CheckVersionPolicy(context);
  CheckEnsemble(context);
  CheckTensors(context);
  CheckBatchTensors(context);
  CheckInstanceGroups(context);
  CheckAccelerators(context);
  CheckScheduling(context);
  CheckSequences(context);
  CheckResponseCache(context);
  CheckInferdOptions(context);
  CheckFilenames(context);
  CheckWarmup(context);
  CheckMetrics(context);
  CheckAgents(context);
  std::ranges::sort(problems, {}, [](const Problem& p) { return std::tie(p.line, p.column, p.field, p.message); });
  return problems;
}

}  // namespace inferd::config
