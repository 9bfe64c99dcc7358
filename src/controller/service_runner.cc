#include "controller/service_runner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "controlplane/api/annotations.h"
#include "controlplane/resolve/hosts.h"
#include "controlplane/scale/knative_settings.h"
#include "manifest/print.h"

namespace inferd::controller {

namespace {

using controlplane::ComponentKind;
using controlplane::InferenceService;
using controlplane::ResolvedPod;

constexpr std::chrono::seconds kDefaultTimeout{300};  // Knative: revision-timeout-seconds

// All that its processes are made of.
std::string TemplateOf(const ResolvedPod& pod) {
  std::string text = manifest::ToYaml(pod.pod_spec);
  for (const auto& [key, value] : pod.annotations) text += key + "=" + value + "\n";
  const auto& extension = pod.extension;
  text += std::to_string(extension.container_concurrency.value_or(0)) + " " +
          std::to_string(extension.scale_target.value_or(0)) + extension.scale_metric.value_or("") + " " +
          std::to_string(extension.min_replicas.value_or(-1)) + " " + std::to_string(extension.max_replicas);
  return text;
}

std::string RevisionName(const std::string& component, int number) {
  char text[16];
  std::snprintf(text, sizeof(text), "-%05d", number);
  return component + text;
}

bool RoutesTags(const InferenceService& service) {
  return service.metadata.annotation(controlplane::kTagRoutingAnnotation) == "true";
}

}  // namespace

void ServiceRunner::Apply(const InferenceService& service,
                          std::span<const controlplane::ServingRuntime* const> runtimes, controlplane::ScaleTime now) {
  for (const auto& [kind, given] : {std::pair("transformer", service.transformer.has_value()),
                                    std::pair("explainer", service.explainer.has_value())}) {
    if (given) services_.say(true, name_ + ": spec." + kind + " is not run on this machine yet; only its predictor is");
  }
  auto desired = controlplane::MakeDesiredObjects(service, runtimes, {}, services_.config,
                                                  {{ComponentKind::kPredictor, rollout_}});
  if (!desired.has_value()) {
    failure_ = desired.error();
    return services_.say(true, name_ + ": " + desired.error().reason + ": " + desired.error().event);
  }
  service_ = service;
  failure_.reset();
  mode_ = desired->mode;
  removed_ = false;
  ResolvedPod& pod = desired->pods.front();
  if (std::string made_of = TemplateOf(pod); made_of != template_) {
    template_ = std::move(made_of);
    AddRevision(std::move(pod), desired->mode, now);
  }
}

void ServiceRunner::AddRevision(ResolvedPod pod, controlplane::DeploymentMode mode, controlplane::ScaleTime now) {
  auto settings = controlplane::KnativeSettingsOf(pod.extension, pod.annotations);
  if (!settings.has_value()) return services_.say(true, name_ + ": " + std::string(settings.error().message()));
  // What a HorizontalPodAutoscaler scales keeps a replica.
  if (mode == controlplane::DeploymentMode::kRawDeployment)
    settings->min_scale = std::max<int64_t>(settings->min_scale, 1);
  std::string name = RevisionName(controlplane::ComponentObjectName(service_, ComponentKind::kPredictor), ++created_);
  services_.say(false, name_ + ": revision " + name + (pod.runtime.empty() ? "" : ", runtime " + pod.runtime));
  revisions_.push_back(
      std::make_unique<node::Revision>(std::move(name), std::move(pod), *settings, services_.node, now));
}

void ServiceRunner::Remove() {
  removed_ = true;
  template_.clear();
  shares_.clear();
  latest_ready_ = nullptr;
  rollout_ = {};
  for (const auto& revision : revisions_) revision->Retire();
}

bool ServiceRunner::Tick(controlplane::ScaleTime now) {
  for (const auto& revision : revisions_) revision->Tick(now);
  std::erase_if(revisions_, [](const auto& revision) { return revision->gone(); });
  if (removed_) return false;
  const std::vector<Share> before = shares_;
  Roll();
  RetireOthers();
  SayState();
  return shares_ != before;
}

// Knative: the latest ready revision is what "latest" is; KServe: which one was rolled out before.
void ServiceRunner::Roll() {
  for (const auto& revision : revisions_) {
    if (revision->status().was_ready) latest_ready_ = revision.get();
  }
  if (latest_ready_ == nullptr) {
    // Requests wait for the first one to be ready.
    shares_.clear();
    if (!revisions_.empty()) shares_.push_back({revisions_.back().get(), 100, {}});
    return;
  }
  const auto& extension = service_.predictor.extension;
  const auto targets =
      controlplane::SplitTraffic(extension.canary_traffic_percent, rollout_.latest_rolled_out, RoutesTags(service_));
  shares_.clear();
  controlplane::TrafficStatus status{
      .latest_created = revisions_.back()->name(), .latest_ready = latest_ready_->name(), .targets = {}};
  for (controlplane::TrafficTarget target : targets) {
    node::Revision* const revision = target.latest ? latest_ready_ : Find(target.revision);
    if (revision == nullptr) continue;
    shares_.push_back({revision, target.percent, target.tag});
    target.revision = revision->name();
    status.targets.push_back(std::move(target));
  }
  rollout_ = controlplane::AdvanceRollout(rollout_, status);
}

void ServiceRunner::RetireOthers() {
  for (const auto& revision : revisions_) {
    const bool shares =
        std::ranges::any_of(shares_, [&](const Share& share) { return share.revision == revision.get(); });
    const bool newest = revision == revisions_.back();
    revision->SetReachable(shares || newest);
    // A share may be given back to it.
    const bool kept = shares || newest || revision.get() == latest_ready_ ||
                      revision->name() == rollout_.latest_rolled_out ||
                      revision->name() == rollout_.previous_rolled_out;
    if (!kept) revision->Retire();
  }
}

node::Revision* ServiceRunner::Find(const std::string& name) const {
  const auto found = std::ranges::find_if(revisions_, [&](const auto& revision) { return revision->name() == name; });
  return found == revisions_.end() ? nullptr : found->get();
}

gateway::Destination ServiceRunner::DestinationOf(const Share& share, int64_t percent) const {
  return {.backend = share.revision->backend(), .percent = static_cast<uint32_t>(percent), .tag = share.tag};
}

base::Status ServiceRunner::AddRoutesOf(const std::string& object, gateway::RouteTable& table) const {
  gateway::Route route;
  route.timeout = std::chrono::seconds(service_.predictor.extension.timeout_s.value_or(kDefaultTimeout.count()));
  route.wait_timeout = route.timeout;
  for (const Share& share : shares_) route.destinations.push_back(DestinationOf(share, share.percent));
  INFERD_ASSIGN_OR_RETURN(const std::string host, controlplane::ExternalHost(service_, object, services_.config));
  table.Add(host, route);
  table.Add(controlplane::ClusterHost(service_, object), route);
  for (const Share& share : shares_) {
    if (share.tag.empty()) continue;
    gateway::Route tagged = route;
    tagged.destinations = {DestinationOf(share, 100)};
    table.Add(share.tag + "-" + host, std::move(tagged));
  }
  return base::OkStatus();
}

void ServiceRunner::AddRoutes(gateway::RouteTable& table) const {
  if (removed_ || shares_.empty()) return;
  for (const std::string& object :
       {service_.metadata.name, controlplane::ComponentObjectName(service_, ComponentKind::kPredictor)}) {
    if (const base::Status added = AddRoutesOf(object, table); !added.ok())
      services_.say(true, name_ + ": " + added.message());
  }
  const auto path = controlplane::ExternalPath(service_, services_.config);
  if (!path.has_value() || path->empty()) return;
  gateway::Route route;
  route.path_prefix = *path + "/";
  route.strip_prefix = *path;
  for (const Share& share : shares_) route.destinations.push_back(DestinationOf(share, share.percent));
  table.Add("*", std::move(route));
}

ServiceState ServiceRunner::state() const {
  ComponentState predictor;
  predictor.rollout = rollout_;
  for (const auto& revision : revisions_) {
    predictor.revisions.push_back(
        {.name = revision->name(), .was_ready = revision->status().was_ready, .replicas = revision->replicas()});
  }
  for (const Share& share : shares_) {
    if (latest_ready_ == nullptr) break;
    predictor.traffic.push_back({.revision = share.revision->name(),
                                 .latest = share.revision == latest_ready_,
                                 .percent = share.percent,
                                 .tag = share.tag});
  }
  return {.failure = failure_, .mode = mode_, .components = {std::move(predictor)}};
}

void ServiceRunner::SayState() {
  std::string state;
  for (const Share& share : shares_) {
    const node::RevisionStatus status = share.revision->status();
    state += (state.empty() ? "" : ", ") + share.revision->name() + " " + std::to_string(share.percent) + " %, " +
             std::to_string(status.ready) + " of " + std::to_string(status.replicas) + " replicas ready";
  }
  if (state == said_) return;
  said_ = state;
  services_.say(false, name_ + ": " + state);
}

}  // namespace inferd::controller
