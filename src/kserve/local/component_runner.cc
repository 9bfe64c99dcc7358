#include "kserve/local/component_runner.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <ranges>
#include <utility>

#include "data/manifest/print.h"
#include "kserve/model/scale/knative_settings.h"
#include "kserve/node/unheeded_fields.h"

namespace inferd::local {

namespace {

using model::ResolvedPod;

constexpr std::chrono::seconds kDefaultTimeout{300};  // Knative: revision-timeout-seconds

// Returns a text of everything that decides its processes.
std::string TemplateOf(const ResolvedPod& pod) {
  std::string text = manifest::ToYaml(pod.pod_spec);
  for (const auto& [key, value] : pod.annotations) text += key + "=" + value + "\n";
  const auto& extension = pod.extension;
  text += std::to_string(extension.container_concurrency.value_or(0)) + " " +
          std::to_string(extension.scale_target.value_or(0)) + extension.scale_metric.value_or("") + " " +
          std::to_string(extension.min_replicas.value_or(-1)) + " " + std::to_string(extension.max_replicas);
  return text;
}

}  // namespace

ComponentRunner::ComponentRunner(std::string service, RunnerServices services)
    : service_(std::move(service)), services_(std::move(services)) {}

void ComponentRunner::Apply(ComponentSpec spec, model::ScaleTime now) {
  spec_ = std::move(spec);
  unheeded_ = node::UnheededFields(spec_.pod);
  removed_ = false;
  if (!std::exchange(restored_, true)) Restore(now);
  std::string made_of = TemplateOf(spec_.pod);
  if (made_of == template_) return;
  template_ = std::move(made_of);
  AddRevision(now);
}

void ComponentRunner::Restore(model::ScaleTime now) {
  if (services_.records == nullptr) return;
  const model::Rollout& before = spec_.written.rollout;
  const auto records = services_.records->Of(
      spec_.pod.namespace_name, spec_.object, spec_.service_uid,
      {spec_.written.latest_created, before.latest_ready, before.latest_rolled_out, before.previous_rolled_out});
  for (const RevisionRecord& record : records) {
    created_ = record.number;
    if (Start(record, now)) template_ = TemplateOf(record.pod);
  }
  const auto known = [this](const std::string& name) { return Find(name) == nullptr ? std::string() : name; };
  rollout_ = {.latest_ready = known(before.latest_ready),
              .latest_rolled_out = known(before.latest_rolled_out),
              .previous_rolled_out = known(before.previous_rolled_out)};
  latest_ready_ = Find(rollout_.latest_ready);
}

void ComponentRunner::AddRevision(model::ScaleTime now) {
  const RevisionRecord record{.component = spec_.object,
                              .number = created_ + 1,
                              .service = spec_.service,
                              .service_uid = spec_.service_uid,
                              .pod = spec_.pod};
  if (!Start(record, now)) return;
  ++created_;
  if (services_.records != nullptr) services_.records->Save(record);
}

bool ComponentRunner::Start(const RevisionRecord& record, model::ScaleTime now) {
  const model::ResolvedPod& pod = record.pod;
  auto settings = model::KnativeSettingsOf(pod.extension, pod.annotations);
  if (!settings.has_value()) {
    services_.say(true, service_ + ": " + std::string(settings.error().message()));
    return false;
  }
  // A HorizontalPodAutoscaler never scales to zero.
  if (spec_.mode == model::DeploymentMode::kRawDeployment)
    settings->min_scale = std::max<int64_t>(settings->min_scale, 1);
  services_.say(false,
                service_ + ": revision " + record.name() + (pod.runtime.empty() ? "" : ", runtime " + pod.runtime));
  revisions_.push_back(
      std::make_unique<node::Revision>(record.name(), spec_.localize(pod), *settings, services_.node, now));
  revisions_.back()->SetModels(models_);
  return true;
}

void ComponentRunner::EraseGone() {
  std::erase_if(revisions_, [this](const auto& revision) {
    if (!revision->gone()) return false;
    if (services_.records != nullptr) services_.records->Remove(spec_.pod.namespace_name, revision->name());
    return true;
  });
}

void ComponentRunner::Remove() {
  removed_ = true;
  template_.clear();
  shares_.clear();
  latest_ready_ = nullptr;
  rollout_ = {};
  for (const auto& revision : revisions_) revision->Retire();
}

bool ComponentRunner::idle() const {
  return std::ranges::all_of(revisions_, [](const auto& revision) { return revision->idle(); });
}

bool ComponentRunner::Tick(model::ScaleTime now) {
  for (const auto& revision : revisions_) revision->Tick(now);
  EraseGone();
  if (removed_) return false;
  const std::vector<Share> before = shares_;
  Roll();
  RetireOthers();
  return shares_ != before;
}

// Knative: "latest" is the latest ready revision. KServe: records which one was rolled out before.
void ComponentRunner::Roll() {
  // The latest ready revision never becomes an older one. After a restart, any of the earlier ready revisions may be
  // ready first.
  for (const auto& revision : std::views::reverse(revisions_)) {
    // Retired revisions are ending: their component was removed and has been created again.
    if (revision->status().was_ready && !revision->retired()) latest_ready_ = revision.get();
    if (revision.get() == latest_ready_) break;
  }
  if (latest_ready_ == nullptr) {
    // Requests wait for the first ready revision.
    shares_.clear();
    if (!revisions_.empty()) shares_.push_back({revisions_.back().get(), 100, {}});
    return;
  }
  const auto targets =
      model::SplitTraffic(spec_.pod.extension.canary_traffic_percent, rollout_.latest_rolled_out, spec_.tag_routing);
  shares_.clear();
  model::TrafficStatus status{
      .latest_created = revisions_.back()->name(), .latest_ready = latest_ready_->name(), .targets = {}};
  for (model::TrafficTarget target : targets) {
    node::Revision* const revision = target.latest ? latest_ready_ : Find(target.revision);
    if (revision == nullptr) continue;
    shares_.push_back({revision, target.percent, target.tag});
    target.revision = revision->name();
    status.targets.push_back(std::move(target));
  }
  rollout_ = model::AdvanceRollout(rollout_, status);
}

void ComponentRunner::RetireOthers() {
  for (const auto& revision : revisions_) {
    const bool shares =
        std::ranges::any_of(shares_, [&](const Share& share) { return share.revision == revision.get(); });
    const bool newest = revision == revisions_.back();
    revision->SetReachable(shares || newest);
    // A later rollback may give it a share again.
    const bool kept = shares || newest || revision.get() == latest_ready_ ||
                      revision->name() == rollout_.latest_rolled_out ||
                      revision->name() == rollout_.previous_rolled_out;
    if (!kept) revision->Retire();
  }
}

node::Revision* ComponentRunner::Find(const std::string& name) const {
  const auto found = std::ranges::find_if(revisions_, [&](const auto& revision) { return revision->name() == name; });
  return found == revisions_.end() ? nullptr : found->get();
}

gateway::ComponentShares ComponentRunner::shares() const {
  gateway::ComponentShares component{
      .kind = spec_.pod.kind,
      .timeout = std::chrono::seconds(spec_.pod.extension.timeout_s.value_or(kDefaultTimeout.count()))};
  if (removed_) return component;
  for (const Share& share : shares_) {
    component.destinations.push_back(
        {.backend = share.revision->backend(), .percent = static_cast<uint32_t>(share.percent), .tag = share.tag});
  }
  return component;
}

void ComponentRunner::SetModels(std::vector<node::NamedModel> models) {
  models_ = std::move(models);
  for (const auto& revision : revisions_) revision->SetModels(models_);
}

std::map<std::string, node::NamedModelState> ComponentRunner::models() const {
  if (latest_ready_ != nullptr) return latest_ready_->models();
  return revisions_.empty() ? std::map<std::string, node::NamedModelState>() : revisions_.back()->models();
}

model::ComponentState ComponentRunner::state() const {
  model::ComponentState state{.kind = spec_.pod.kind, .unheeded = unheeded_, .rollout = rollout_};
  if (!revisions_.empty()) {
    const node::LimitsReport& limits = revisions_.back()->limits();
    state.limits = limits.held;
    std::ranges::copy(limits.not_held, std::back_inserter(state.unheeded));
  }
  for (const auto& revision : revisions_) {
    state.revisions.push_back(
        {.name = revision->name(), .was_ready = revision->status().was_ready, .replicas = revision->replicas()});
  }
  if (latest_ready_ == nullptr) return state;
  for (const Share& share : shares_) {
    state.traffic.push_back({.revision = share.revision->name(),
                             .latest = share.revision == latest_ready_,
                             .percent = share.percent,
                             .tag = share.tag});
  }
  return state;
}

std::map<std::string, std::shared_ptr<const node::ReplicaLog>> ComponentRunner::logs() const {
  std::map<std::string, std::shared_ptr<const node::ReplicaLog>> logs;
  for (const auto& revision : revisions_) logs.merge(revision->logs());
  return logs;
}

std::string ComponentRunner::Describe() const {
  std::string state;
  for (const Share& share : shares_) {
    const node::RevisionStatus status = share.revision->status();
    state += (state.empty() ? "" : ", ") + share.revision->name() + " " + std::to_string(share.percent) + " %, " +
             std::to_string(status.ready) + " of " + std::to_string(status.replicas) + " replicas ready";
  }
  return state;
}

}  // namespace inferd::local
